"""document_reference.py - the table of docs/reference/commands.md for documents.py"""

COMMANDS = {
    'setup': """coordinator_up
worker_up 0 --host node3
worker_up 5 --host node3
export MUSTER_COORDINATOR=$control
nine_sweeps
muster wait --quiet sweep-8 >/dev/null
muster baseline set release-8.3 sweep-1 --frozen >/dev/null
job job '[1024]' 1 | sed '/^cards/d' >job.yaml
cp "$root/tests/viewer/golden/mix.bin" visualize_data.bin
muster capture export out/store/captures/1.db .1.iidb >/dev/null
muster capture extract --vendor OPPROF .1.iidb >/dev/null
mkdir -p ~/.local/share/bash-completion/completions ~/.config/fish/completions
stored=$work/stored
muster keygen head.key head >/dev/null && cp head.key.pub allow
build/dev/lib/muster/sim/bin/train_like --ranks 4 --out profile >/dev/null
(unset MUSTER_COORDINATOR && muster run --quiet --out "$stored" job.yaml >/dev/null 2>&1)
page_of() { curl -sf "http://127.0.0.1:$1/" >/dev/null; }""",
    'fill': {'12': '1', '--rank 1': '--rank 0', 'OPPROF_20261123': 'OPPROF/device0', 'Matmul*/0': 'add_custom/0'},
    'only': 'sh',
    'rows': [
        ('ends', 'muster resume', 2),  # nothing was interrupted, nothing failed, all is parsed
        ('ends', 'muster retry', 2),
        ('ends', 'muster reparse sweep', 2),
        ('ends', 'muster compare', 5),  # too few repeats for a verdict
        ('ends', 'muster gate', 5),
        ('service', 'muster watch\n', 'grep -q node3 .out'),
        ('fill', 'muster coordinator', {'out/store': 'head/store', '--out out': '--out head', 'tcp://127.0.0.1:7701': 'ipc://$work/head-1', 'tcp://127.0.0.1:7702': 'ipc://$work/head-2',
                                        'tcp://*:7701': 'tcp://127.0.0.1:0', 'tcp://*:7702': 'tcp://127.0.0.1:0'}),
        ('service', 'muster coordinator', 'grep -q "coordinator started" .err'),
        ('fill', 'muster worker', {'tcp://127.0.0.1:7701': '$control', 'tcp://127.0.0.1:7702': 'ipc://$work/data'}),
        ('service', 'muster worker --simulated', 'muster list --workers | grep -q Ascend'),
        ('skip', 'muster worker --spool', 'needs the cards of a host'),
        ('skip', 'muster alloc', 'needs Slurm; e2e/slurm runs it'),
        ('service', 'muster serve\n', 'page_of 8470'),
        ('service', 'muster serve --out', 'page_of 8080'),
        ('service', 'muster serve visualize', 'page_of 8470'),
        ('fill', 'muster serve --out', {'results': '$stored'}),
        ('fill', 'muster fsck --repair', {'results': '$stored'}),
        ('fill', 'muster import --store', {'--store': '--store --out $stored'}),
        ('service', 'muster events --follow', 'grep -q sweep-7 .out'),
    ],
}
