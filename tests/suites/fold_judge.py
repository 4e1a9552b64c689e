# SPDX-License-Identifier: GPL-3.0-or-later
"""fold_judge.py CLI [COUNT]: folds small networks with `CLI fold` and runs source and written file in ONNX Runtime
(optimization disabled) on the same random inputs; prints one line a case and exits 1 where one fails.

The certificate must not fail, the file must load at every optimization level and give outputs of the source's types and
shapes, and these are the source's up to one step of their own grid in few elements (ties that float32 decides), real
numbers up to 2e-5 of their range, indices exactly. COUNT random networks (default 40) follow the written ones: what a
layer of theirs is off passes through the others, so that they show gross faults only."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

onnxruntime.set_default_logger_severity(4)
CODES = {"u8": np.uint8, "s8": np.int8, "u16": np.uint16, "s16": np.int16, "s32": np.int32}


class Net:
    """A network being written; every method returns the name of the value that it makes."""

    def __init__(self, opset=17):
        self.nodes, self.constants, self.inputs, self.outputs, self.steps = [], [], [], [], {}
        self.count, self.opset = 0, opset
        self.deep = False  # a tie or a rounded bias passes through several layers
        self.random = np.random.default_rng(7)

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, array, kind=np.float32):
        name = self.name()
        self.constants.append(numpy_helper.from_array(np.array(array, kind), name))
        return name

    def ints(self, *values):
        return self.constant(values, np.int64)

    def input(self, *shape, kind=TensorProto.FLOAT):
        name = self.name()
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def op(self, op, *inputs, outputs=1, domain="", **attributes):
        names = [self.name() for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, list(inputs), names, domain=domain, **attributes))
        return names[0] if outputs == 1 else names

    def quantized(self, x, scale=0.1, zero=0, kind="u8", domain=""):
        s, z = self.constant(scale), self.constant(zero, CODES[kind])
        q = self.op("QuantizeLinear", x, s, z, domain=domain)
        y = self.op("DequantizeLinear", q, s, z, domain=domain)
        self.steps[y] = scale
        return y

    def weight(self, *shape, scale=0.01, zero=0, kind="s8", axis=None, codes=None):
        if codes is None:
            codes = self.random.integers(0 if kind == "u8" else -100, 200 if kind == "u8" else 100, shape)
        zeros = zero if np.ndim(scale) == 0 or np.ndim(zero) else [zero] * len(scale)
        inputs = [self.constant(codes, CODES[kind]), self.constant(scale), self.constant(zeros, CODES[kind])]
        return self.op("DequantizeLinear", *inputs, **({} if axis is None else {"axis": axis}))

    def norm(self, x, gamma, beta, mean, variance):
        return self.op("BatchNormalization", x, *(self.constant(p) for p in (gamma, beta, mean, variance)))

    def output(self, name, kind=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def model(self):
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs, self.constants)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10 if self.opset > 17 else 8)


CASES = {}


def case(*arguments):
    """Registers a function of a Net (and of one argument a case) that writes the network."""

    def register(function):
        for argument in arguments or (None,):
            label = function.__name__ + ("" if argument is None else f" {argument}")
            CASES[label] = (function, argument)
        return function

    return register


def image(net, kind="u8", zero=10, channels=2, size=5):
    return net.quantized(net.input(1, channels, size, size), 0.05, zero, kind)


@case("row", "column", "quantized column", "square column", "computed")
def gemm_c(net, form):
    x = net.quantized(net.input(3, 4), 0.05, 10)
    w = net.weight(4, 3, scale=0.02)
    forms = {
        "row": lambda: net.constant([[1, -2, 3]]),
        "column": lambda: net.constant([[1], [-2], [3]]),
        "square column": lambda: net.constant([[0.1], [0.2], [3]]),
        "quantized column": lambda: net.weight(3, 1, scale=0.1, kind="s32"),
        "computed": lambda: net.quantized(net.input(3, 3), 0.1, 5),
    }
    y = net.op("Gemm", x, w, forms[form](), beta=0.5 if form == "row" else 1.0)
    net.output(net.quantized(y, 0.1, 128))


@case("00", "01", "10", "11")
def gemm_forms(net, turned):
    a, b = int(turned[0]), int(turned[1])
    x = net.quantized(net.input(*((3, 2) if a else (2, 3))), 0.05, 10)
    w = net.weight(3, 3, scale=[0.01, 0.02, 0.03], axis=0 if b else 1)
    y = net.op("Gemm", x, w, net.constant([1, -2, 3]), transA=a, transB=b, alpha=-1.5, beta=0.5)
    net.output(net.quantized(y, 0.05, 60))


@case("few", "many")
def products_of_two_inputs(net, how):
    count = 40000 if how == "many" else 40
    x = net.quantized(net.input(1, count, 1, 1), 0.05, 0)
    w = net.quantized(net.input(2, count, 1, 1), 0.05, 0)
    net.output(net.quantized(net.op("Conv", x, w), count / 50, 0))


@case("dead channel", "saturating bias")
def two_quantizers_of_a_layer(net, how):
    dead = how == "dead channel"
    codes = net.random.integers(-100, 100, (2, 2, 3, 3))
    codes[1] *= 0 if dead else 1
    w = net.weight(2, 2, 3, 3, scale=[1e-3, 1e-10 if dead else 1e-9], axis=0, codes=codes)
    y = net.op("Conv", image(net), w, net.constant([1, 3 if dead else 300]))
    net.output(net.quantized(y, 0.1, 128))
    net.output(net.quantized(y, 0.5, 100))


@case("Add", "Mul", "Max", "Div")
def constant_that_adds_dimensions(net, op):
    x = net.quantized(net.input(5), 0.05, 10)
    net.output(net.quantized(net.op(op, x, net.constant([[0.7]])), 0.04, 100))


@case()
def dimensions_added_inside_a_chain(net):
    x = net.quantized(net.input(2, 3), 0.05, 10)
    y = net.quantized(net.op("Mul", net.op("Sigmoid", x), net.constant([[[0.7]]])), 0.04, 100)
    net.output(net.op("Transpose", y, perm=[1, 0, 2]))


@case()
def clip_behind_a_concat_of_codes(net):
    scale, zero = net.constant(0.1), net.constant(0, np.uint8)
    q = net.op("QuantizeLinear", net.input(1, 3), scale, zero)
    c = net.op("Concat", q, net.constant([[200, 10]], np.uint8), axis=1)
    c = net.op("Clip", c, net.constant(20, np.uint8), net.constant(100, np.uint8))
    net.output(net.op("DequantizeLinear", c, scale, zero))


@case(*range(8))
def average_pool(net, number):
    forms = [
        {"count_include_pad": 1, "pads": [1, 1, 1, 1]},
        {"pads": [1, 1, 1, 1]},
        {"ceil_mode": 1, "strides": [2, 2]},
        {"ceil_mode": 1, "strides": [2, 2], "pads": [1, 1, 1, 1]},
        {"ceil_mode": 1, "strides": [2, 2], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
        {"ceil_mode": 1, "strides": [3, 3], "pads": [0, 0, 1, 1], "count_include_pad": 1},
        {"dilations": [2, 2]},
    ]
    net.opset = 19
    y = net.op("AveragePool", image(net, size=6, zero=60), kernel_shape=[3, 3], **forms[number])
    net.output(net.quantized(y, 0.07, 61))


@case("one", "group", "group a channel", "group with zero points")
def transposed_convolution(net, form):
    group = 1 if form == "one" else 2
    more = {
        "group a channel": {"scale": [0.01, 0.02], "axis": 1},
        "group with zero points": {"scale": [0.01, 0.02], "axis": 1, "zero": [3, -4]},
    }.get(form, {})
    x = image(net, channels=4, size=4)
    y = net.op("ConvTranspose", x, net.weight(4, 2, 3, 3, **more), group=group, strides=[2, 2])
    count = 2 * group
    y = net.norm(y, [1.5, -0.7] * group, [1.0] * count, [0.5] * count, [1.0] * count)
    net.output(net.quantized(y, 0.1, 60))


@case("s8", "zero point", "u8", "channels", "channels u8", "-128")
def norm_behind_a_layer(net, form):
    more = {
        "zero point": {"zero": 5},
        "u8": {"kind": "u8", "zero": 120},
        "channels": {"scale": [0.01, 0.02, 0.005], "axis": 0, "zero": [3, -7, 0]},
        "channels u8": {"scale": [0.01, 0.02, 0.005], "axis": 0, "zero": [100, 127, 0], "kind": "u8"},
        "-128": {"codes": np.full((3, 2, 3, 3), -128)},
    }.get(form, {})
    y = net.op("Conv", image(net), net.weight(3, 2, 3, 3, **more), pads=[1, 1, 1, 1])
    y = net.norm(y, [1.5, -0.7, 0], [1, 2, -3], [0.5, -0.2, 0.1], [1, 0.3, 2])
    net.output(net.quantized(y, 0.1, 60))


@case("column", "row", "batch", "batch with zero points", "vector", "left")
def matrix_products(net, form):
    if form == "left":
        x = net.quantized(net.input(4, 3), 0.05, 10)
        y = net.op("MatMul", net.weight(5, 4), x)
        y = net.op("Add", y, net.constant(np.arange(5.0)[:, None]))
    else:
        x = net.quantized(net.input(*([4] if form == "vector" else [2, 3, 4])), 0.05, 10)
        shape = (2, 4, 3) if form.startswith("batch") else (4, 3)
        zero = [3, -2, 0] if form == "batch with zero points" else 0
        w = net.weight(*shape, scale=[0.01, 0.02, 0.03], axis=len(shape) - 1, zero=zero)
        y = net.op("MatMul", x, w)
        if form != "batch":
            y = net.op("Add", y, net.constant([[1], [2], [3]] if form == "column" else [1, -2, 3]))
    net.output(net.quantized(y, 0.05, 60))


@case("u8", "s8", "u16", "s16")
def relu_inside_the_grid(net, kind):
    wide = kind.endswith("16")
    net.opset = 21
    x = net.quantized(net.input(1, 2, 4, 4), 0.001 if wide else 0.05, 7, kind)
    y = net.op("Conv", x, net.weight(3, 2, 3, 3), net.constant([1, 2, 3]))
    net.output(net.quantized(net.op("Relu", y), 0.0003 if wide else 0.1, 20, kind))
    net.output(net.quantized(net.op("Clip", x, net.constant(0.0), net.constant(2.0)), net.steps[x], 7, kind))


@case((-1e30, 1e30), (5, 2), (-np.inf, 3), (0.3, 6.1), (-100, -50), (50, 100))
def clip_in_front_of_a_quantizer(net, bounds):
    y = net.op("Conv", image(net), net.weight(3, 2, 3, 3), net.constant([1, -2, 3]))
    y = net.op("Clip", y, net.constant(bounds[0]), net.constant(bounds[1]))
    net.output(net.quantized(y, 0.1, 60))


@case("constant", "off the grid", "huge", "reflect", "edge")
def pad_in_front_of_a_quantizer(net, form):
    value = {"off the grid": [0.333], "huge": [1e9]}.get(form, [])
    mode = form if form in ("reflect", "edge") else "constant"
    pads = net.ints(0, 0, 1, 1, 0, 0, 1, 1)
    y = net.op("Pad", image(net), pads, *(net.constant(v) for v in value), mode=mode)
    y = net.op("Conv", net.quantized(y, 0.05, 10), net.weight(3, 2, 3, 3))
    net.output(net.quantized(y, 0.1, 60))


@case()
def values_with_several_readers(net):
    w = net.weight(2, 2, 1, 1)
    first = net.op("Conv", image(net), w)
    relu = net.op("Relu", first)
    a = net.quantized(relu, 0.1, 60)
    second = net.op("Conv", a, w)
    b = net.norm(second, [-1, 0.5], [0, 1], [0, 0], [1, 1])
    for value in (relu, a, net.quantized(first, 0.1, 60), net.quantized(b, 0.1, 60), w):
        net.output(value)
    net.output(net.quantized(net.op("Add", second, a), 0.1, 60))


@case("Add", "Sub", "Mul", "Max", "Min")
def two_grids(net, op):
    a = net.quantized(net.input(1, 2, 3), 0.1, 60)
    b = net.quantized(net.input(2, 1), 0.25, -5, "s8")
    net.output(net.quantized(net.op(op, b, a), 0.15, 101))
    net.output(net.quantized(net.op("Concat", a, net.op("Expand", b, net.ints(1, 2, 3)), axis=1), 0.15, 20))


class Random:
    """Random layers on 1 x C x H x W values."""

    def __init__(self, net, seed):
        self.net, self.random = net, np.random.default_rng(seed)
        net.random = self.random
        self.channels, self.size = 1 + self.below(3), 4 + self.below(4)

    def below(self, limit):
        return int(self.random.integers(limit))

    def real(self, low, high, *shape):
        return np.float32(self.random.uniform(low, high, shape))

    def quantized(self, x):
        kind = ("u8", "s8")[self.below(2)]
        zero = self.below(100) - (50 if kind == "s8" else 0)
        return self.net.quantized(x, float(self.real(0.02, 0.2)), zero, kind)

    def layer(self, x):
        net, out = self.net, 1 + self.below(4)
        group = self.channels if self.below(4) == 0 else 1
        out *= group
        kind = ("s8", "s8", "u8")[self.below(3)]
        channels = self.below(2) == 0
        zero = self.random.integers(100, 150, out) if kind == "u8" else self.random.integers(-9, 9, out)
        zero = zero * (self.below(2) if kind == "s8" else 1)
        more = {"scale": self.real(0.005, 0.02, out), "axis": 0, "zero": zero}
        if not channels:
            more = {"scale": 0.01, "zero": int(zero[0])}
        kernel = 1 + 2 * self.below(2) if self.size > 2 else 1
        w = net.weight(out, self.channels // group, kernel, kernel, kind=kind, **more)
        bias = [net.constant(self.real(-2, 2, out))] if self.below(2) else []
        y = net.op("Conv", x, w, *bias, group=group, pads=[kernel // 2] * 4)
        self.channels = out
        if self.below(2):
            gamma = self.real(-2, 2, out) * (self.random.random(out) > 0.1)
            y = net.norm(y, gamma, self.real(-1, 1, out), self.real(-1, 1, out), self.real(0.2, 3, out))
        if self.below(4) == 0:
            y = net.op(("Mul", "Div", "Add")[self.below(3)], y, net.constant(self.real(0.5, 2, 1, out, 1, 1)))
        return y

    def activation(self, x):
        net = self.net
        number = self.below(6)
        if number == 0:
            low = float(self.real(-3, 3))
            return net.op("Clip", x, net.constant(low), net.constant(low + float(self.real(0, 6))))
        return net.op(("Relu", "Relu", "LeakyRelu", "HardSwish", "Sigmoid")[number - 1], x)

    def moved(self, x):
        net, number = self.net, self.below(6)
        if number == 0 and self.size > 2:
            mode = self.below(3)
            self.size = (self.size + 1) // 2
            more = {"kernel_shape": [2, 2], "strides": [2, 2], "pads": [0, 0, self.size * 0, 0]}
            more.update({"ceil_mode": 1})
            if mode == 0:
                return net.op("MaxPool", x, **more)
            return net.op("AveragePool", x, count_include_pad=mode - 1, **more)
        if number == 1:
            self.size += 2
            value = [net.constant(float(self.real(-1, 1)))] if self.below(2) else []
            return net.op("Pad", x, net.ints(0, 0, 1, 1, 0, 0, 1, 1), *value)
        if number == 2 and self.channels < 6:
            self.channels *= 2
            return net.op("Concat", x, self.quantized(self.activation(x)), axis=1)
        if number == 3:
            return net.op(("Add", "Mul", "Sub", "Max")[self.below(4)], x, self.quantized(self.activation(x)))
        if number == 4:
            return net.op(("Add", "Mul")[self.below(2)], x, net.constant(float(self.real(0.3, 2))))
        return net.op("Transpose", x, perm=[0, 1, 3, 2])

    def write(self):
        net = self.net
        at = self.quantized(net.input(1, self.channels, self.size, self.size))
        for _ in range(2 + self.below(4)):
            at = (self.layer, lambda x: self.activation(self.layer(x)), self.moved, self.activation)[self.below(4)](at)
            at = self.quantized(at)
            if self.below(5) == 0:
                net.output(at)
        if at not in [output.name for output in net.outputs]:
            net.output(at)


def random_network(net, seed):
    net.deep = True
    Random(net, seed).write()


def session(path, level="DISABLE_ALL"):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def fault(net, name, source, folded):
    """What is wrong with an output, or nothing."""
    if source.dtype != folded.dtype or source.shape != folded.shape:
        return f"{source.dtype}{source.shape} became {folded.dtype}{folded.shape}"
    apart = np.abs(source.astype(np.float64) - folded.astype(np.float64))
    if source.size == 0 or not apart.any():
        return None
    step = net.steps.get(name)
    if step is None:
        limit = 2e-5 * np.abs(source).max() if source.dtype.kind == "f" else 0
        return f"off by {apart.max()}" if apart.max() > limit else None
    off = (apart > 0.01 * step).mean()
    most, share = (10, 0.6) if net.deep else (1, 0.15)
    if apart.max() > (most + 0.01) * step or (off > share and (apart > 0.01 * step).sum() > 3):
        return f"off by {apart.max() / step:.2f} steps, in {off:.1%}"
    return None


def judge(cli, target, folder, net):
    source, folded = folder / "source.onnx", folder / "folded.onnx"
    onnx.save(net.model(), source)
    command = [cli, "fold", str(source), "-o", str(folded), "--force", "--json", "--target", target, "--random", "2"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return f"exit {run.returncode}: {run.stdout[-200:]}{run.stderr[-300:]}"
    verdict = json.loads(run.stdout)["certificate"]["verdict"]
    if verdict not in ("exact", "within-steps", "within-tolerance"):
        return verdict
    before, after = session(source), [session(folded), session(folded, "ENABLE_ALL")]
    random = np.random.default_rng(3)
    for _ in range(4):
        feed = {}
        for each in before.get_inputs():
            feed[each.name] = np.float32(random.normal(size=each.shape) * 4)
        expected = before.run(None, feed)
        for level, run in zip(("disabled", "all"), after):
            for output, a, b in zip(before.get_outputs(), expected, run.run(None, feed)):
                if (wrong := fault(net, output.name, a, b)) is not None:
                    return f"{output.name}, optimization {level}: {wrong}"
    return None


def main():
    cli, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 40
    for seed in range(count):
        CASES[f"random network {seed}"] = (random_network, seed)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (label, (write, argument)) in enumerate(CASES.items()):
            net = Net()
            write(net) if argument is None else write(net, argument)
            targets = ["onnxruntime-qoperator", "onnxruntime-qdq"]
            for target in targets if number % 4 == 0 or not net.deep else targets[:1]:
                try:
                    wrong = judge(cli, target, pathlib.Path(folder), net)
                except Exception as error:  # of ONNX Runtime: the file does not load or run
                    wrong = str(error)[:300]
                failed += wrong is not None
                print(f"{label}, {target.removeprefix('onnxruntime-')}: {wrong or 'agrees'}", flush=True)
    sys.exit(1 if failed else 0)


main()
