"""document_tables.py - for each page what documents.py cannot read from the page itself

A page has `setup`, shell text that runs first; `fill`, the values of placeholders; `only`, the language
of its blocks of commands; and rows:

  ('skip', COMMAND, REASON)    the command does not run here
  ('text', BLOCK, REASON)      the block is not commands
  ('output', LINE)             the line is what the command before it prints; `...`: anything
  ('ends', COMMAND, CODE)      the command ends with this code (default: 0)
  ('prints', COMMAND, PATTERN) the command prints a line that has the pattern
  ('service', COMMAND, CHECK)  the command runs until it is ended; CHECK succeeds once it is ready
  ('fill', COMMAND, VALUES)    placeholders of this command only
  ('before', COMMAND, SHELL)   shell text that runs before the command; 'after' runs after it
  ('file', BLOCK, NAME[, VALUES])  the block, of another language, is this file; VALUES make it small

COMMAND and BLOCK are the first words. Each row must match something.
"""

import glob
import os

from document_reference import COMMANDS

BUILDS = 'builds or tests the whole tree; CI runs it'
# other pages and tests run the examples that these replace
SMALL_JOB = """job small '[1024]' 1 | sed 's/PipeUtilization/Default, Occupancy/' >small.yaml"""
SMALL_GANG = """fused gang 'matmul_all_reduce, --m, "64", --n, "64", --k, "64"' 'ranks: 4' 'MODE: small' 'kernel: "*"' |
    sed 's/PipeUtilization/Default/' >gang.yaml"""

PAGES = {
    'README.md': {
        'setup': 'sample app',
        'rows': [
            ('skip', 'make demo', BUILDS),
            ('skip', 'make check', BUILDS),
            ('text', 'job.yaml -> muster', 'a drawing'),
            ('file', 'version: 1\nname: quickstart', 'job.yaml'),
            ('after', 'build/release/bin/muster init', 'muster validate app.yaml >/dev/null'),
            ('prints', 'build/release/bin/muster expand', '262144'),
            ('prints', 'build/release/bin/muster run', 'out/quickstart-1/report.html'),
            ('prints', 'build/release/bin/muster results', 'duration_us'),
            ('prints', 'build/release/bin/muster help', 'expand'),
        ],
    },
    'docs/quickstart.md': {
        'rows': [
            ('skip', 'git clone', 'copies the sources from elsewhere'),
            ('skip', 'deploy/setup.sh', 'installs packages'),
            ('skip', 'make release', BUILDS),
            ('prints', 'muster selftest', 'good'),
            ('file', 'version: 1\nname: first', 'first.yaml'),
            ('prints', 'muster expand --forecast', 'disk'),
            ('prints', 'muster run first.yaml', 'out/first-1/report.html'),
            ('prints', "muster results first --metric", 'duration_us'),
            ('after', 'muster results first --output csv', 'grep -q duration_us first.csv || fail "$(cat first.csv)"'),
            ('after', 'muster run configs', 'ls out/*/p*/r*/merged/MatmulAllReduce_0/0.json >/dev/null'),
        ],
    },
    'sim/README.md': {
        'setup': 'export ASCEND_HOME_PATH=$PWD/build/dev/lib/muster/sim',
        'rows': [
            ('output', 'matmul_custom m=256'),
            ('file', '#include', 'scale_kernel.c'),
            ('after', 'cc -shared', '[ -s scale.o ] || fail "no scale.o"'),
        ],
    },
    'docs/user/analyze.md': {
        'setup': 'build/dev/lib/muster/sim/bin/train_like --out profile >/dev/null',
        'rows': [
            ('prints', 'muster analyze --list', 'kernel_details.csv'),
            ('after', 'muster analyze profile --to', 'ls report/*.html >/dev/null'),
            ('after', 'muster analyze profile --format json', 'python3 -m json.tool .out >/dev/null'),
        ],
    },
    'docs/user/gangs.md': {
        'setup': """export NPU_SIM_CARDS=8
program fused 'exec matmul_all_reduce "$@" --n 64 --k 64'
program matmul 'exec matmul_custom "$@" --n 64 --k 64'
program allreduce 'exec allreduce --n 4096'
program matmul_then_allreduce 'matmul_custom "$@" --n 64 --k 64 && exec allreduce --n 4096'
program op 'if [ "${RANK_SIZE:-1}" = 1 ]; then exec matmul_custom --m 64 --n 64 "$@"; else exec allreduce --n 4096; fi'
cat >lines.part <<'YAML'
operator: {command: [sim/bin/allreduce, --n, "${n}"], ranks: 2}
sweep: {zip: [{n: [1024, 65536], bytes: [4096, 262144]}]}
YAML
basic='profile: {metrics: [BasicInfo], warmup: 0, kernel: "*"}'""",
        'rows': [
            ('prints', 'muster run configs/examples/matmul', 'out/matmul-allreduce-1/report.html'),
            ('prints', 'muster run configs/examples/moe', 'out/moe-sweep-[0-9]+/report.html'),
            ('prints', 'muster results moe-sweep', 'moe_imbalance'),
            ('file', 'operator:\n  command: [./fused', 'overlap.part',
             {'[1024, 4096]': '[64]', 'Matmul*|Hccl*': '*', 'repeat: 6': 'repeat: 1'}),
            ('before', 'muster gang JOB overlap', 'measured overlap'),
            ('fill', 'muster gang JOB overlap', {'JOB': 'overlap'}),
            ('prints', 'muster gang JOB overlap', 'efficiency'),
            ('fill', 'muster gang JOB arrival', {'JOB': 'matmul-allreduce'}),
            ('prints', 'muster gang JOB arrival  ', 'as-calibrated|arrival-skew|transfer|mixed|inconclusive'),
            ('file', 'cards: {rotate: 3}', 'rotated.part'),
            ('before', 'muster gang JOB cards', 'measured rotated "operator: {command: [./fused, --m, 64], ranks: 4}" "$basic"'),
            ('fill', 'muster gang JOB cards', {'JOB': 'rotated'}),
            ('prints', 'muster gang JOB cards', 'same|slower'),
            ('file', 'operator: {command: [./allreduce]', 'pairs.part', {'node0': os.uname().nodename}),
            ('before', 'muster gang JOB links', 'measured pairs "$basic"'),
            ('fill', 'muster gang JOB links', {'JOB': 'pairs'}),
            ('prints', 'muster gang JOB links', 'same|slow-link'),
            ('file', 'operator: {command: [./op', 'curve.part',
             {'repeat: 5': 'repeat: 1', '[1, 2, 4, 8, 16]': '[1, 2, 4, 8]', '[4096, 2048, 1024, 512, 256]': '[512, 256, 128, 64]'}),
            ('before', 'muster gang JOB scaling', 'measured curve "$basic"'),
            ('fill', 'muster gang JOB scaling', {'JOB': 'curve'}),
            ('prints', 'muster gang JOB scaling', 'speedup'),
            ('before', 'muster gang JOB collectives', 'measured lines "$basic"'),
            ('fill', 'muster gang JOB collectives', {'JOB': 'lines'}),
            ('prints', 'muster gang JOB collectives', 'Hccl.*,2,2,'),
        ],
    },
    'docs/user/gates.md': {
        'setup': """fleet_with
{ job nightly '[1024]' 5; echo 'compare: {against: nightly}'; echo 'gate: {}'; } >nightly.yaml
muster submit nightly.yaml >/dev/null""",
        'rows': [
            ('prints', 'muster gate', 'nothing regressed'),
            ('text', 'nothing regressed', 'output of jobs that became slower'),
        ],
    },
    'docs/user/job-file.md': {
        'setup': 'sample app',
        'rows': [('prints', 'muster expand', '65536')],
    },
    'docs/user/other-runtimes.md': {
        'setup': """program vector_add 'exec sycl_like app threads=1 kernels=3 task_us=100'
cp "$root/parsers/iree/samples/plain.idb" run.idb""",
        'fill': {'FILE': 'run.idb', 'DIR': 'tables'},
        'rows': [
            ('file', 'version: 1\nname: vectors', 'vectors.yaml'),
            ('after', 'muster run vectors.yaml', 'ls out/vectors-1/p0/r0/*/rank0/xpti/kernels.csv >/dev/null'),
            ('after', 'muster import FILE', '[ -s tables/iree.json ] || fail "no iree.json"'),
        ],
    },
    'docs/user/replay.md': {},
    'docs/user/reports.md': {},
    'docs/user/results.md': {
        'setup': """fleet_with
nine_sweeps
bin=$(find out -name visualize_data.bin -print -quit)
muster capture export out/store/captures/1.db .1.iidb >/dev/null
muster capture extract --vendor vendor .1.iidb >/dev/null""",
        'fill': {'JOB': 'sweep-1', 'FILE': '"$bin"', 'BASE': 'sweep-2', 'NEW': 'sweep-3', 'DIR': 'there'},
        'rows': [
            ('text', 'out/<job>/', 'the folders of a job'),
            ('fill', 'muster import DIR', {'DIR': 'vendor/device0'}),
            ('fill', 'muster export FILE', {'DIR': 'exported'}),
            ('fill', 'muster baseline quarantine', {"'m=16'": "'*m=16*'"}),
            ('fill', 'muster import --launch', {'Matmul*/2': 'add_custom/0'}),
            ('fill', 'muster results JOB --where', {'Matmul*': 'add_custom*', 'node0:3': 'node0:0'}),
            ('prints', 'muster list  ', 'nightly-10'),
            ('prints', "muster results JOB --metric", 'duration_us'),
            ('after', 'muster fetch JOB', '[ -s there/sweep-1/report.html ] || fail "no report"'),
            ('prints', 'sqlite3', r'^65536\|[0-9.]+$'),
            ('after', 'muster compare BASE NEW --to', '[ -s there/compare.html ] || fail "no page"'),
        ],
    },
    'docs/user/serve.md': {
        'setup': """fleet_with small
ln -s out DIR
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=gpu-01.example.com \\
    -addext subjectAltName=DNS:gpu-01.example.com -days 1 -keyout host.key -out host.crt 2>/dev/null
unset MUSTER_COORDINATOR
jobs() { curl -sf --cacert host.crt "$1/api/v1/jobs" "${@:2}" | grep -q small; }""",
        'fill': {'ENDPOINT': '$control'},
        'rows': [
            ('service', 'muster serve  ', 'jobs http://127.0.0.1:8470'),
            ('service', 'muster serve --out', 'jobs http://127.0.0.1:9000'),
            ('service', 'muster serve --coordinator', 'jobs http://127.0.0.1:8470'),
            ('service', 'muster serve --listen', 'jobs https://gpu-01.example.com:8470 '
             '--resolve gpu-01.example.com:8470:127.0.0.1 -H "Authorization: Bearer $(sed -n "s/.*token=//p" .out)"'),
            ('before', 'curl', 'service_starts "jobs http://127.0.0.1:8470" muster serve'),
            ('prints', 'curl', 'rows'),
            ('after', 'curl', 'service_ends'),
        ],
    },
    'docs/user/simulator.md': {
        'setup': """mkdir LOGS
CAMODEL_LOG_PATH=$PWD/LOGS build/dev/lib/muster/sim/bin/add_custom --n 4096 >/dev/null
cp build/dev/lib/muster/sim/kernels/add_custom.o .""",
        'rows': [
            ('after', 'muster import LOGS', '[ -s simulated/visualize_data.bin ] || fail "$(find simulated)"'),
        ],
    },
    'docs/user/sweeps.md': {
        'setup': "job sweep '[1024, 65536]' 2 >job.yaml",
        'rows': [('prints', 'muster expand job.yaml', '--n 1024')],
    },
    'docs/user/troubleshooting.md': {
        'setup': 'small sweep',
        'fill': {'JOB': 'sweep-1'},
        'rows': [
            ('prints', 'muster logs', 'result=ok'),
            ('prints', 'muster selftest', 'good'),
        ],
    },
    'docs/user/viewer.md': {
        'setup': """small small
viewer=$PWD/viewer
mkdir -p "$viewer/plugins" && echo '<html>' >"$viewer/index.html"
bin=$(find out -name visualize_data.bin -print -quit)
page_of() { curl -sfL "http://127.0.0.1:8470/$1"; }""",
        'fill': {'/usr/local/mindstudio-insight/resources/profiler/frontend': '$viewer', 'DIR': 'out', 'FILE...': '"$bin"'},
        'rows': [
            ('text', '/JOB/p0', 'the name of a file in the viewer'),
            ('service', 'muster serve --out', 'page_of viewer | grep -q html'),
            ('service', 'muster serve FILE', 'page_of "" >/dev/null'),
            ('service', 'muster serve --browse', 'page_of "" >/dev/null'),
        ],
    },
    'docs/admin/backup-and-fsck.md': {
        'setup': 'small small',
        'fill': {'17': '1', '/backup': '$PWD/backup'},
        'rows': [
            ('after', 'sqlite3 out/store/muster.db', '[ -s backup/muster.db ] || fail "no backup"'),
            ('after', 'sqlite3 out/store/captures', '[ -s backup/captures/1.db ] || fail "no backup"'),
            ('after', 'muster capture import', '[ -s 1.db ] || fail "no capture"'),
            ('prints', 'muster list --sizes', 'small-1'),
        ],
    },
    'docs/admin/fleet.md': {
        'setup': """coordinator_up
worker_up 1 --host node9
export MUSTER_COORDINATOR=$control
job quickstart '[1024]' 1 | sed '/^cards/d' >small.yaml
trial=ipc://$work/trial""",
        'fill': {'...': '--card 0 --simulated --model Ascend910B2 --control $control --data ipc://$work/data --spool spool'},
        'rows': [
            ('fill', 'muster coordinator', {'out/store': 'trial/store', '--out out': '--out trial', 'tcp://127.0.0.1:7701': '$trial-1', 'tcp://127.0.0.1:7702': '$trial-2'}),
            ('service', 'muster coordinator', 'muster list --coordinator $trial-1'),
            ('fill', 'muster worker', {'--spool spool': '--spool trial-spool', 'tcp://127.0.0.1:7701': '$control', 'tcp://127.0.0.1:7702': 'ipc://$work/data'}),
            ('service', 'muster worker', 'muster list --workers | grep -q Ascend'),
            ('fill', 'export MUSTER', {'tcp://127.0.0.1:7701': '$control'}),
            ('prints', 'muster list --workers', 'node9'),
            ('fill', 'muster submit', {'configs/examples/quickstart.yaml': 'small.yaml'}),
            ('prints', 'muster results', 'duration_us'),
            ('text', 'coordinator: tcp://head:7701', 'a file of settings'),
            # --cgroup, which a limit of memory needs, writes a control group of the host
            ('fill', 'muster-worker', {'--cgroup auto': '', 'core=0,memory=64GiB': 'core=0'}),
            ('service', 'muster-worker', 'muster list --workers | grep -q 910B2'),
        ],
    },
    'docs/admin/install.md': {
        'rows': [
            ('skip', 'deploy/setup.sh', 'installs packages'),
            ('skip', 'make package', BUILDS),
            ('skip', 'apt install', 'changes this host; e2e/package unpacks the packages'),
            ('skip', 'make release', BUILDS),
            ('skip', 'make install', 'e2e/install runs it in a folder'),
            ('skip', 'make uninstall', 'e2e/install runs it in a folder'),
            ('prints', 'muster selftest  ', 'good'),
            ('skip', 'muster selftest --hardware', 'needs the cards of a host'),
        ],
    },
    'docs/admin/keys.md': {
        'rows': [('after', 'cat worker', '[ "$(wc -l <allow)" -ge 2 ] || fail "$(cat allow)"')],
    },
    'docs/admin/kubernetes.md': {},
    'docs/admin/monitoring.md': {
        'setup': """places="--store out/store --out out --control $control --data ipc://$work/data"
metrics() { curl -sf "$@" | grep -q '^# EOF'; }
token() { echo "Authorization: Bearer $(cat metrics.token)"; }""",
        'fill': {'...': '$places', '/run/muster/metrics': '$PWD/metrics', '/etc/muster/metrics.token': '$PWD/metrics.token', 'HOST': '127.0.0.1'},
        'rows': [
            ('service', 'muster-coordinator --metrics unix', 'metrics --unix-socket metrics http://localhost/metrics'),
            ('before', 'curl --unix', 'service_starts "test -S metrics" muster-coordinator --metrics "unix://$PWD/metrics" $places'),
            ('prints', 'curl --unix', '^# EOF'),
            ('after', 'curl --unix', 'service_ends'),
            ('service', 'muster-coordinator --metrics tcp', 'metrics -H "$(token)" http://127.0.0.1:7703/metrics'),
            ('before', 'curl -H', 'service_starts "curl -sf http://127.0.0.1:7703/healthz" '
             'muster-coordinator --metrics tcp://127.0.0.1:7703 --metrics-token metrics.token $places'),
            ('prints', 'curl -H', '^# EOF'),
            ('after', 'curl -H', 'service_ends'),
            ('text', '2026-11-23', 'a line of a log'),
        ],
    },
    'docs/admin/slurm.md': {
        'rows': [
            ('skip', 'muster alloc', 'needs Slurm; e2e/slurm runs it'),
            ('skip', 'muster run --on slurm', 'needs Slurm; e2e/slurm runs it'),
        ],
    },
    'CONTRIBUTING.md': {
        'rows': [
            ('skip', 'deploy/setup.sh', 'installs packages'),
            ('skip', 'make', BUILDS),
            ('text', 'coordinator: requeue', 'a commit message'),
        ],
    },
    'docs/dev/architecture.md': {},
    'docs/dev/components.md': {},
    'docs/dev/howto-add-a-block.md': {
        'setup': SMALL_JOB,
        'fill': {'JOBFILE': 'small.yaml'},
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
        ],
    },
    'docs/dev/howto-add-a-chip.md': {
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
            ('skip', 'build/dev/bin/muster run', 'the reader adds this model'),
            ('skip', 'find out', 'the reader adds this model'),
        ],
    },
    'docs/dev/howto-add-a-command.md': {
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
            ('skip', 'build/dev/bin/muster help metrics', 'the reader writes this command'),
            ('text', '[ "$(muster metrics', 'the reader writes this command'),
        ],
    },
    'docs/dev/howto-add-a-fused-operator.md': {
        'rows': [
            ('text', '("StackRows"', 'a line of a test'),
            ('skip', 'cmake', BUILDS),
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
            ('skip', 'NPU_SIM_CARDS=4', 'the reader writes this operator'),
            ('skip', 'build/dev/bin/muster', 'the reader writes this operator'),
        ],
    },
    'docs/dev/howto-add-a-message.md': {
        'rows': [('skip', 'make', BUILDS), ('skip', 'ctest', BUILDS)],
    },
    'docs/dev/howto-add-a-metric.md': {
        'setup': SMALL_GANG,
        'fill': {'configs/examples/matmul-allreduce.yaml': 'gang.yaml'},
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
            ('prints', 'find out', 'l0a_read'),
            ('skip', 'build/dev/bin/muster results', 'the reader writes this metric'),
        ],
    },
    'docs/dev/howto-add-a-parser.md': {
        'setup': SMALL_JOB,
        'fill': {'configs/examples/quickstart.yaml': 'small.yaml'},
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
            ('skip', 'find out', 'the reader writes this parser'),
        ],
    },
    'docs/dev/release.md': {
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'git', 'changes or needs the history of a release'),
            ('text', 'project(muster', 'a line of CMakeLists.txt'),
        ],
    },
    'docs/dev/simulated-time.md': {
        'setup': SMALL_GANG,
        'fill': {'configs/examples/matmul-allreduce.yaml': 'gang.yaml'},
        'rows': [
            ('text', 'start = max', 'an equation'),
            ('text', 'start(r)', 'an equation'),
            ('text', 'data(r, t)', 'an equation'),
            ('text', 'transfer(a, b)', 'an equation'),
            ('file', 'version: 1\nhosts', 'fleet.yaml'),
            ('prints', 'NPU_SIM_FLEET', 'report.html'),
        ],
    },
    'docs/dev/style.md': {},
    'docs/dev/testing.md': {
        'rows': [
            ('skip', 'make', BUILDS),
            ('skip', 'ctest', BUILDS),
            ('skip', 'cmake', BUILDS),
            ('skip', 'tests/e2e/gang.sh', BUILDS),
            ('skip', 'cd lib/wire && gdb', 'a debugger waits for commands'),
        ],
    },
    'docs/dev/viewer.md': {},
    'docs/reference/commands.md': COMMANDS,
}


def missing_pages(root):
    """Returns an error for each page without a table."""
    names = ['README.md', 'CONTRIBUTING.md', 'sim/README.md', 'docs/quickstart.md']
    for folder in ('user', 'admin', 'dev'):
        names += sorted(glob.glob(f'docs/{folder}/*.md', root_dir=root))
    return [f'{os.path.join(root, name)}: no table in document_tables.py'
            for name in names if name not in PAGES]
