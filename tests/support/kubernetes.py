"""kubernetes.py FILE... - checks manifests against the fields of their kinds

The kinds and fields are those of the Kubernetes API reference (core/v1, apps/v1,
batch/v1) and of Volcano's PodGroup, as far as the manifests use them: what is not in the
tables below is reported, whether it exists elsewhere or not. Prints `PROGRAM --option`
for each option that a container is started with."""

import re
import sys

import yaml

Quantity = re.compile(r"^\d+(\.\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$")
Name = re.compile(r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")


class Wrong(Exception):
    pass


def need(good, where, what):
    if not good:
        raise Wrong(f"{where}: {what}")


def text(value, where):
    need(isinstance(value, str), where, f"{value!r} is no text")


def number(value, where):
    need(isinstance(value, int) and not isinstance(value, bool) and value >= 0, where, f"{value!r} is no number")


def switch(value, where):
    need(isinstance(value, bool), where, f"{value!r} is neither true nor false")


def name(value, where):
    need(isinstance(value, str) and Name.match(value) and len(value) <= 63, where, f"{value!r} is no name")


def quantity(value, where):
    need(isinstance(value, (int, str)) and Quantity.match(str(value)), where, f"{value!r} is no quantity")


def port(value, where):
    number(value, where)
    need(0 < value < 65536, where, f"{value} is no port")


def one_of(*words):
    def check(value, where):
        need(value in words, where, f"{value!r} is none of {', '.join(map(str, words))}")
    return check


def list_of(item):
    def check(value, where):
        need(isinstance(value, list) and value, where, "is no list")
        for i, each in enumerate(value):
            item(each, f"{where}[{i}]")
    return check


def map_of(item):
    def check(value, where):
        need(isinstance(value, dict), where, "is no map")
        for key, each in value.items():
            need(isinstance(key, str), where, f"{key!r} is no text")
            item(each, f"{where}.{key}")
    return check


def fields(required=(), **known):
    def check(value, where):
        need(isinstance(value, dict), where, "is no map")
        for key in required:
            need(key in value, where, f"lacks {key}")
        for key, each in value.items():
            need(key in known, where, f"has no field {key}")
            known[key](each, f"{where}.{key}")
    return check


def exactly_one(**known):
    def check(value, where):
        fields(**known)(value, where)
        need(len(set(value) - {"name"}) == 1, where, "has not exactly one source")
    return check


labels = map_of(text)
metadata = fields(name=name, labels=labels, annotations=labels)
selector = fields(["matchLabels"], matchLabels=labels)
resources = fields(requests=map_of(quantity), limits=map_of(quantity))
confinement = fields(
    allowPrivilegeEscalation=switch, readOnlyRootFilesystem=switch, runAsNonRoot=switch,
    capabilities=fields(drop=list_of(text), add=list_of(text)))
probe = fields(
    ["httpGet"], httpGet=fields(["path", "port"], path=text, port=name),
    periodSeconds=number, timeoutSeconds=number, failureThreshold=number)
container = fields(
    ["name", "image"], startupProbe=probe, readinessProbe=probe, livenessProbe=probe, name=name, image=text, command=list_of(text), args=list_of(text),
    env=list_of(fields(["name"], name=text, value=text,
                       valueFrom=fields(fieldRef=fields(["fieldPath"], fieldPath=text)))),
    ports=list_of(fields(["containerPort"], name=name, containerPort=port)),
    resources=resources, securityContext=confinement,
    volumeMounts=list_of(fields(["name", "mountPath"], name=name, mountPath=text, readOnly=switch)))
volume = exactly_one(
    name=name, secret=fields(["secretName"], secretName=name, defaultMode=number),
    emptyDir=fields(medium=one_of("", "Memory"), sizeLimit=quantity))
pod = fields(
    ["metadata", "spec"], metadata=metadata,
    spec=fields(
        ["containers"], containers=list_of(container), initContainers=list_of(container),
        volumes=list_of(volume), schedulerName=name, terminationGracePeriodSeconds=number,
        restartPolicy=one_of("Always", "OnFailure", "Never"), automountServiceAccountToken=switch,
        securityContext=fields(runAsNonRoot=switch, runAsUser=number, runAsGroup=number, fsGroup=number,
                               seccompProfile=fields(["type"], type=one_of("RuntimeDefault", "Localhost")))))
claim = fields(
    ["metadata", "spec"], metadata=metadata,
    spec=fields(["accessModes", "resources"], resources=resources,
                accessModes=list_of(one_of("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"))))

kinds = {
    ("v1", "Service"): fields(
        ["selector", "ports"], selector=labels,
        ports=list_of(fields(["port"], name=name, port=port, targetPort=lambda v, w: None))),
    ("apps/v1", "StatefulSet"): fields(
        ["serviceName", "selector", "template"], replicas=number, serviceName=name, selector=selector,
        template=pod, volumeClaimTemplates=list_of(claim)),
    ("batch/v1", "Job"): fields(
        ["template"], completionMode=one_of("Indexed", "NonIndexed"), completions=number,
        parallelism=number, backoffLimit=number, ttlSecondsAfterFinished=number, template=pod),
    ("monitoring.coreos.com/v1", "PodMonitor"): fields(
        ["selector", "podMetricsEndpoints"], selector=selector,
        podMetricsEndpoints=list_of(fields(
            ["port"], port=name, path=text, interval=text, scheme=one_of("http", "https"),
            authorization=fields(["credentials"], type=text,
                                 credentials=fields(["name", "key"], name=name, key=text))))),
    ("scheduling.volcano.sh/v1beta1", "PodGroup"): fields(
        ["minMember"], minMember=number, minResources=map_of(quantity), queue=name, priorityClassName=name),
}


def read(paths):
    found = {}
    for path in paths:
        for document in yaml.safe_load_all(open(path)):
            kind = (document.get("apiVersion"), document.get("kind"))
            where = f"{path}: {kind[1]}"
            need(kind in kinds, where, f"no kind {kind[1]} in {kind[0]}")
            fields(["apiVersion", "kind", "metadata", "spec"], apiVersion=text, kind=text,
                   metadata=metadata, spec=kinds[kind])(document, where)
            found[kind[1]] = document
    return found


def check_mounts(template, claims, where):
    spec = template["spec"]
    volumes = {volume["name"] for volume in spec.get("volumes", [])} | claims
    used = set()
    for each in spec["containers"] + spec.get("initContainers", []):
        for mount in each.get("volumeMounts", []):
            need(mount["name"] in volumes, where, f"mounts {mount['name']}, which is not a volume")
            used.add(mount["name"])
    need(used == volumes, where, f"volumes that no container mounts: {volumes - used}")


def options(each):
    words = dict(word.split("=", 1) for word in each["args"])
    for option in words:
        print(each["command"][0].rsplit("/", 1)[1], option)
    return words


def check_metrics(monitor, template, ports):
    container_ = template["spec"]["containers"][0]
    need(monitor["selector"]["matchLabels"] == template["metadata"]["labels"], "PodMonitor", "finds other pods")
    for each in monitor["podMetricsEndpoints"]:
        need(each["port"] in ports, "PodMonitor", f"port {each['port']} is not of the pod")
        secret = each["authorization"]["credentials"]
        need(secret["name"] in {v["secret"]["secretName"] for v in template["spec"]["volumes"] if "secret" in v},
             "PodMonitor", f"secret {secret['name']} is not of the pod")
        need(f"/secret/{secret['key']}" in template["spec"]["initContainers"][0]["command"], "PodMonitor",
             f"the coordinator has no {secret['key']}")
    for kind in ("startupProbe", "readinessProbe", "livenessProbe"):
        need(container_[kind]["httpGet"]["port"] in ports, kind, "its port is not of the pod")


def check_together(found):
    service, centre = found["Service"]["spec"], found["StatefulSet"]
    job, group = found["Job"], found["PodGroup"]
    template = centre["spec"]["template"]
    need(centre["spec"]["replicas"] == 1, "StatefulSet", "the store has one writer")
    for selected in (service["selector"], centre["spec"]["selector"]["matchLabels"]):
        need(selected == template["metadata"]["labels"], "coordinator.yaml", "a selector finds other pods")
    ports = {p["name"]: p["containerPort"] for p in template["spec"]["containers"][0]["ports"]}
    for each in service["ports"]:
        need(ports.get(each["targetPort"]) == each["port"], "Service", f"port {each['name']} leads nowhere")
    said = options(template["spec"]["containers"][0])
    asked = options(job["spec"]["template"]["spec"]["containers"][0])
    for way in ("--control", "--data"):
        need(said[way].endswith(f":{ports[way[2:]]}"), "coordinator", f"{way} is not its port")
        need(asked[way] == f"tcp://{found['Service']['metadata']['name']}:{ports[way[2:]]}", "worker",
             f"{way} is not the service")
    need(said["--metrics"].endswith(f":{ports['metrics']}"), "coordinator", "--metrics is not its port")
    check_metrics(found["PodMonitor"]["spec"], template, ports)
    check_mounts(template, {c["metadata"]["name"] for c in centre["spec"]["volumeClaimTemplates"]}, "StatefulSet")
    check_mounts(job["spec"]["template"], set(), "Job")
    need(job["spec"]["template"]["metadata"]["annotations"]["scheduling.k8s.io/group-name"]
         == group["metadata"]["name"], "Job", "is of another group")
    need(job["spec"]["template"]["spec"]["schedulerName"] == "volcano", "Job", "no gang without volcano")
    need(job["spec"]["completions"] == job["spec"]["parallelism"] == group["spec"]["minMember"], "PodGroup",
         "has not as many members as the job has pods")
    for name_, count in group["spec"]["minResources"].items():
        each = job["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"][name_]
        need(int(count) == each * group["spec"]["minMember"], "PodGroup", f"{name_}: {count}")


try:
    check_together(read(sys.argv[1:]))
except (Wrong, KeyError) as problem:
    sys.exit(f"{problem}")
