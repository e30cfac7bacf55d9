# SPDX-License-Identifier: Apache-2.0
"""Rules for the manifests of etc/kubernetes that no schema has; see etc/test/kubernetes."""

import pathlib
import sys

import yaml

faults = []


def rule(kept, *what):
    if not kept:
        faults.append(" ".join(map(str, what)))


def pods(documents):
    """Yields each resource that has pods, and their template."""
    for document in documents:
        spec = document.get("spec", {})
        template = spec.get("template") or spec.get("jobTemplate", {}).get("spec", {}).get("template")
        if template:
            yield document, template


def check(documents):
    named = {(d["kind"], d["metadata"]["name"]): d for d in documents}
    templates = list(pods(documents))
    labels = [template["metadata"]["labels"] for _, template in templates]
    for document in documents:
        about = document["kind"] + " " + document["metadata"]["name"]
        spec = document.get("spec", {})
        selector = spec.get("selector")
        if selector:
            wanted = (selector.get("matchLabels") or selector).items()
            matched = [one for one in labels if wanted <= one.items()]
            rule(len(matched) == 1, about, "selects", len(matched), "kinds of pods, not one")
        for claim in spec.get("volumeClaimTemplates", []):
            modes = claim["spec"]["accessModes"]
            rule(modes == ["ReadWriteOnce"], about, "shares a volume:", modes)
        rule(document["kind"] != "PersistentVolumeClaim", about, "may be shared")
    for document, template in templates:
        about = document["kind"] + " " + document["metadata"]["name"]
        check_pod(about, document, template["spec"], named)


def check_pod(about, document, pod, named):
    account = pod.get("serviceAccountName")
    rule(("ServiceAccount", account) in named, about, "has no service account:", account)
    rule(pod["securityContext"].get("runAsNonRoot") is True, about, "may run as root")
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    for volume in volumes.values():
        rule("persistentVolumeClaim" not in volume and "hostPath" not in volume, about, volume)
        config = volume.get("configMap", {}).get("name")
        rule(config is None or ("ConfigMap", config) in named, about, "has no config map", config)
    claims = [c["metadata"]["name"] for c in document["spec"].get("volumeClaimTemplates", [])]
    for container in pod.get("initContainers", []) + pod["containers"]:
        name = about + " " + container["name"]
        security = container["securityContext"]
        rule(security.get("readOnlyRootFilesystem") is True, name, "may write its root")
        rule(security.get("allowPrivilegeEscalation") is False, name, "may get rights")
        rule(security.get("capabilities") == {"drop": ["ALL"]}, name, "has capabilities")
        resources = container["resources"]
        rule("memory" in resources["limits"], name, "may take all memory")
        rule("cpu" in resources["requests"], name, "asks for no processor time")
        for mount in container["volumeMounts"]:
            rule(mount["name"] in volumes or mount["name"] in claims, name, "lacks", mount["name"])
        ports = {port["name"]: port["containerPort"] for port in container.get("ports", [])}
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            if probe not in container:
                rule(not ports, name, "has no", probe)
                continue
            asked = container[probe].get("httpGet") or container[probe]["tcpSocket"]
            rule(asked["port"] in ports, name, probe, "asks an unknown port")
            rule(asked.get("path") != "/healthz/store", name, probe, "asks the store")
        check_server(name, pod, container, named, ports)


def check_server(name, pod, container, named, ports):
    args = container.get("args", [])
    if "serve" not in args:
        return
    rule(container["livenessProbe"]["httpGet"]["port"] == "monitor", name, "liveness of clients")
    rule(container["readinessProbe"]["httpGet"]["port"] == "http", name, "readiness of monitors")
    config = named[("ConfigMap", "jgit-s3")]["data"]["jgit-s3.config"]
    rule("monitor = 0.0.0.0:%d\n" % ports["monitor"] in config, name, "monitors elsewhere")
    rule(args[args.index("--listen") + 1] == "0.0.0.0:%d" % ports["http"], name, "listens elsewhere")
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    timeout = int(args[args.index("--shutdown-timeout") + 1])
    grace = pod["terminationGracePeriodSeconds"]
    rule(grace >= pause + timeout + 60, name, "is killed after", grace, "s")


def write(documents, directory):
    named = {(d["kind"], d["metadata"]["name"]): template for d, template in pods(documents)}
    for file, kind, name in ("SERVER", "Deployment", "jgit-s3"), ("SWEEP", "CronJob", "jgit-s3-sweep"):
        container = named[(kind, name)]["spec"]["containers"][0]
        (directory / file).write_text("\n".join(container["args"]) + "\n")
    for document in documents:
        if document["kind"] == "ConfigMap":
            (directory / "jgit-s3.config").write_text(document["data"]["jgit-s3.config"])


files = {file.name: list(yaml.safe_load_all(file.open())) for file in pathlib.Path(sys.argv[1]).iterdir()}
for documents in files.values():
    check(documents)
for fault in faults:
    print(fault)
if not faults and len(sys.argv) > 2:
    write(files["jgit-s3.yaml"], pathlib.Path(sys.argv[2]))
sys.exit(1 if faults else 0)
