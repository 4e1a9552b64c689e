# SPDX-License-Identifier: GPL-3.0-or-later
"""Folds models with crease-cli for both ONNX Runtime targets and prints one Markdown table; ONNX Runtime is the judge."""

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

import counting
import ort
import samples as sample_files

TARGETS = ("onnxruntime-qoperator", "onnxruntime-qdq")
HEADER = (
    "model",
    "dialect",
    "nodes",
    "bytes",
    "quantized linear ops",
    "integer: Crease",
    "integer in ONNX Runtime: source, QOperator, QDQ",
    "off by one: tie, noise, bias; unexplained",
    "accuracy: source, QOperator, QDQ",
    "ONNX Runtime = Crease: QOperator, QDQ",
    "seconds",
    "verdict",
)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@dataclasses.dataclass
class Folded:
    """One model folded for one target."""

    account: dict
    status: int
    seconds: float
    file: pathlib.Path
    kernels: int | None = None
    accuracy: float | None = None
    agreement: str = "not compared"
    problems: list = dataclasses.field(default_factory=list)

    @property
    def written(self):
        return "output" in self.account and self.file.is_file()

    @property
    def verdict(self):
        return self.account.get("certificate", {}).get("verdict", "none")


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/scoreboard", description=__doc__)
    parser.add_argument("models", nargs="+", type=pathlib.Path, help="models, or folders of models")
    parser.add_argument("--cli", type=pathlib.Path, help="crease-cli (default: of build/release or build/ci)")
    parser.add_argument("--samples", type=pathlib.Path, help=".npz by input name, with labels; for models whose input fits")
    parser.add_argument("--random", type=int, default=16, help="random samples for the other models (default 16)")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the folded files in this folder")
    parser.add_argument("--json", type=pathlib.Path, help="write everything measured to this file too")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a model misses what the release promises")
    return parser.parse_args()


def find_cli(given):
    candidates = [given] if given else [ROOT / "build" / preset / "bin" / "crease-cli" for preset in ("release", "ci")]
    for candidate in candidates:
        if candidate.is_file():
            return candidate
    sys.exit(f"no crease-cli at {', '.join(map(str, candidates))}: run scripts/build")


def find_models(paths):
    for path in paths:
        if path.is_dir():
            yield from sorted(path.glob("*.onnx"))
        elif path.is_file():
            yield path
        else:
            sys.exit(f"{path}: no such file or folder")


def run_cli(cli, *parameters):
    start = time.monotonic()
    done = subprocess.run([str(cli), *map(str, parameters)], capture_output=True, text=True)
    seconds = time.monotonic() - start
    try:
        return json.loads(done.stdout), done.returncode, seconds, done.stderr
    except json.JSONDecodeError:
        return {"error": {"text": done.stderr.strip() or "no output"}}, done.returncode, seconds, done.stderr


def fold(cli, file, target, samples, folder):
    output = folder / f"{file.stem}.{target.removeprefix('onnxruntime-')}.onnx"
    account, status, seconds, _ = run_cli(
        cli, "fold", file, "--output", output, "--target", target, "--force", "--json", "--samples", samples
    )
    return Folded(account, status, seconds, output)


def own_outputs(cli, file, samples, folder):
    """What crease-cli run makes of the first file written, on the same samples: integer kernels, exactly rounded."""
    target = folder / (file.stem + ".own.npz")
    account, status, _, errors = run_cli(cli, "run", "--force", file, "--samples", samples, "--output", target, "--json")
    if status != 0:
        return None, f"crease-cli run: {errors.strip() or account.get('error')}"
    return dict(numpy.load(target)), None


def compare(file, own, judge):
    """'=' where equal, else how many codes are off and by how much, or the largest difference of a float output."""
    steps = counting.output_steps(counting.load(file))
    words = []
    for name, theirs in judge.items():
        ours = own[name].reshape(theirs.shape)
        error = numpy.abs(ours.astype(numpy.float64) - theirs.astype(numpy.float64))
        if theirs.dtype.kind in "biu" or steps[name]:
            off = numpy.rint(error / (steps[name] or 1))
            words.append("=" if off.max() == 0 else f"{int((off > 0).sum())} of {off.size} off by {int(off.max())}")
        else:
            ratio = error.max() / max(float(numpy.ptp(theirs)), 1e-30)
            words.append("=" if ratio <= 1e-5 else f"differs by {ratio:.1e} of the range")
    return ", ".join(sorted(set(words)))


def judge(folded, own, samples, source_right):
    """ONNX Runtime's word on a written file: its kernels, its outputs with and without optimization, its accuracy."""
    folded.kernels = ort.kernels_of_session(folded.file)
    if folded.kernels is None:
        folded.problems.append("ONNX Runtime refuses the file")
        return
    arrays = dict(numpy.load(samples))
    labels = arrays.pop("labels", None)
    words = []
    for level in ort.LEVELS:
        outputs = ort.outputs(folded.file, level, arrays)
        words.append("not compared" if own is None else compare(folded.file, own, outputs))
        if labels is None:
            continue
        count = ort.right(next(iter(outputs.values())), labels)
        if level == "disabled":
            folded.accuracy = count
        if source_right is not None and abs(count - source_right) > 1:
            folded.problems.append(f"{count:g} right with optimization {level}, the source {source_right:g}")
    folded.agreement = words[0] if words[0] == words[1] else f"{words[0]} (optimized: {words[1]})"


def check_counts(folded, quantized, written):
    """Crease's own count against those made of the source and of the written file."""
    claimed = folded.account["linear_ops"]
    if claimed["quantized"] != quantized:
        folded.problems.append(f"Crease sees {claimed['quantized']} quantized linear ops, there are {quantized}")
    if claimed["integer"] < quantized:
        folded.problems.append(f"{claimed['integer']} of {quantized} linear ops integer")
    dead = counting.dead_nodes(written)
    if dead:
        folded.problems.append(f"{len(dead)} nodes of the file feed nothing, {dead[0].op_type} '{dead[0].name}' first")
    found = counting.integer_linear_ops(written)
    if found + counting.float_only(written) < claimed["integer"]:
        folded.problems.append(f"{claimed['integer']} linear ops integer by Crease, {found} in the file")


def accuracy_of_source(file, samples):
    """Right images and all of them; None where there are no labels or ONNX Runtime cannot run the source."""
    arrays = dict(numpy.load(samples))
    labels = arrays.pop("labels", None)
    if labels is None:
        return None, None
    try:
        outputs = ort.outputs(file, "disabled", arrays)
    except ort.REFUSALS as refusal:
        print(f"{file.name}: ONNX Runtime cannot run the source: {str(refusal).splitlines()[0]}", file=sys.stderr)
        return None, len(labels)
    return ort.right(next(iter(outputs.values())), labels), len(labels)


def row(cli, file, options, folder):
    model = counting.load(file)
    samples = sample_files.choose(file, options.samples, options.random, folder)
    quantized = counting.quantized_linear_ops(model)
    source_right, count = accuracy_of_source(file, samples)
    results = []
    own = None
    for target in TARGETS:
        folded = fold(cli, file, target, samples, folder)
        results.append(folded)
        if not folded.written:
            folded.problems.append(folded.account.get("error", {}).get("text", f"exit status {folded.status}"))
            continue
        if folded.status != 0:
            folded.problems.append(f"exit status {folded.status}")
        check_counts(folded, quantized, counting.load(folded.file))
        if folded.verdict in ("failed", "not-checked", "none"):
            folded.problems.append(f"verdict {folded.verdict}")
        if own is None:
            own, failure = own_outputs(cli, folded.file, samples, folder)
            folded.problems += [failure] if failure else []
        judge(folded, own, samples, source_right)
    return {
        "file": file,
        "model": model,
        "quantized": quantized,
        "right": source_right,
        "count": count,
        "source_kernels": ort.kernels_of_session(file),
        "results": results,
    }


def shown(value):
    return "·" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def pair(values):
    """One word where both targets agree."""
    words = [shown(value) for value in values]
    return words[0] if words[0] == words[1] else ", ".join(words)


def share(value, count):
    return None if value is None else f"{value / count:.3f}"


def causes(certificate):
    steps = certificate.get("off_by")
    if steps is None:
        return None
    text = f"{certificate.get('ties', 0)}, {certificate.get('noise', 0)}, {certificate.get('bias', 0)}"
    return f"{text}; {certificate.get('unexplained', 0)}"


def cells(entry):
    results = entry["results"]
    outputs = [folded.account.get("output", {}) for folded in results]
    source = results[0].account.get("model", {})
    count = entry["count"]
    return (
        entry["file"].stem,
        ", ".join(source.get("dialects", [])) or "·",
        f"{len(entry['model'].graph.node)} → {pair(output.get('nodes') for output in outputs)}",
        f"{entry['file'].stat().st_size} → {pair(output.get('bytes') for output in outputs)}",
        entry["quantized"],
        pair(folded.account.get("linear_ops", {}).get("integer") for folded in results),
        ", ".join(shown(value) for value in (entry["source_kernels"], *(folded.kernels for folded in results))),
        pair(causes(folded.account.get("certificate", {})) for folded in results),
        ", ".join(shown(share(value, count)) for value in (entry["right"], *(folded.accuracy for folded in results))),
        pair(folded.agreement for folded in results),
        ", ".join(f"{folded.seconds:.1f}" for folded in results),
        pair(folded.verdict for folded in results),
    )


def total(rows):
    def add(values):
        return sum(value or 0 for value in values)

    integer = [add(entry["results"][at].account.get("linear_ops", {}).get("integer") for entry in rows) for at in (0, 1)]
    kernels = [add(entry["source_kernels"] for entry in rows)]
    kernels += [add(entry["results"][at].kernels for entry in rows) for at in (0, 1)]
    quantized = add(entry["quantized"] for entry in rows)
    return ("**all**", "", "", "", quantized, pair(integer), ", ".join(map(str, kernels)), "", "", "", "", "")


def print_row(values):
    print("| " + " | ".join(str(value).replace("|", "\\|") for value in values) + " |", flush=True)


def plain(entry):
    return {
        "file": str(entry["file"]),
        "quantized": entry["quantized"],
        "right": entry["right"],
        "count": entry["count"],
        "source_kernels": entry["source_kernels"],
        "results": [
            {
                "target": target,
                "status": folded.status,
                "seconds": folded.seconds,
                "kernels": folded.kernels,
                "right": folded.accuracy,
                "agreement": folded.agreement,
                "problems": folded.problems,
                "account": folded.account,
            }
            for target, folded in zip(TARGETS, entry["results"])
        ],
    }


def main():
    options = arguments()
    cli = find_cli(options.cli)
    rows = []
    print_row(HEADER)
    print_row("---" for _ in HEADER)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for file in find_models(options.models):
            rows.append(row(cli, file, options, folder))
            print_row(cells(rows[-1]))
    if not rows:
        sys.exit("no models")
    print_row(total(rows))
    problems = [
        f"- {entry['file'].name} ({target.removeprefix('onnxruntime-')}): {text}"
        for entry in rows
        for target, folded in zip(TARGETS, entry["results"])
        for text in folded.problems
    ]
    print("\n".join(problems))
    if options.json:
        options.json.write_text(json.dumps([plain(entry) for entry in rows], indent=1))
    return 1 if options.check and problems else 0


if __name__ == "__main__":
    sys.exit(main())
