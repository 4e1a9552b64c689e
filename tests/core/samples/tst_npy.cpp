// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/samples/npy.h"
#include "core/samples/npz.h"
#include "core/samples/samples.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace crease;

namespace {

std::string npy(std::string header, const std::string& data, int version = 1)
{
    std::string bytes("\x93NUMPY");
    bytes += static_cast<char>(version);
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) {
        bytes += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
    }
    return bytes + header + data;
}

std::string bytesOf(const std::vector<float>& values)
{
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string read(const std::string& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

} // namespace

class TestNpy : public QObject {
    Q_OBJECT

private slots:
    void reads_every_version()
    {
        const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
        for (const int version : {1, 2, 3}) {
            const auto tensor = tensorFromNpy(npy(header, bytesOf({1, 2, 3, 4, 5, 6}), version));
            QVERIFY(tensor.has_value());
            QVERIFY(tensor->identical(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
        }
    }

    void reads_any_spelling_of_the_header()
    {
        const auto tensor = tensorFromNpy(
            npy("{ \"shape\":(2L,3L,),\"fortran_order\" : False,'descr':'=f4'}", bytesOf({1, 2, 3, 4, 5, 6})));
        QVERIFY(tensor.has_value());
        QCOMPARE(tensor->dims(), (Dims{2, 3}));
    }

    void reads_fortran_order()
    {
        const auto tensor = tensorFromNpy(
            npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", bytesOf({1, 4, 2, 5, 3, 6})));
        QVERIFY(tensor.has_value());
        QVERIFY(tensor->identical(Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})));
    }

    void reads_fortran_order_of_rank_three_and_big_endian()
    {
        // numpy.arange(24, dtype='>i2').reshape(2, 3, 4), stored column-major
        std::string data;
        for (int k = 0; k < 4; ++k) {
            for (int j = 0; j < 3; ++j) {
                for (int i = 0; i < 2; ++i) {
                    data += '\0';
                    data += static_cast<char>(i * 12 + j * 4 + k);
                }
            }
        }
        const auto tensor = tensorFromNpy(npy("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3, 4)}", data));
        QVERIFY(tensor.has_value());
        QCOMPARE(tensor->type(), ElementType::Int16);
        for (std::size_t i = 0; i < 24; ++i) {
            QCOMPARE(tensor->asInt(i), static_cast<std::int64_t>(i));
        }
    }

    void reads_scalars_and_empty_arrays()
    {
        const auto scalar = tensorFromNpy(npy("{'descr': '|i1', 'fortran_order': False, 'shape': ()}", "\x85"));
        QVERIFY(scalar.has_value());
        QCOMPARE(scalar->rank(), 0U);
        QCOMPARE(scalar->asInt(0), -123);
        const auto empty = tensorFromNpy(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3)}", ""));
        QVERIFY(empty.has_value());
        QCOMPARE(empty->dims(), (Dims{0, 3}));
        const auto emptyFortran = tensorFromNpy(npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 0)}", ""));
        QVERIFY(emptyFortran.has_value());
    }

    void negative_data()
    {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<int>("dataBytes");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* header, int bytes, const char* says) {
            QTest::newRow(name) << QByteArray(header) << bytes << QString(says);
        };
        row("object", "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", 8, "'|O' is not supported");
        row("unicode", "{'descr': '<U2', 'fortran_order': False, 'shape': (1,)}", 8, "'<U2' is not supported");
        row("structured", "{'descr': [('a','<f4')], 'fortran_order': False, 'shape': (1,)}", 4, "structured");
        row("short data", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7,
            "needs 8 bytes of data and has 7");
        row("long data", "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9,
            "needs 8 bytes of data and has 9");
        row("overflow", "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296)}", 4, "too large");
        row("overflow of bytes", "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", 4,
            "too large");
        row("negative", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, "shape cannot be read");
        row("not a tuple", "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}", 4, "shape cannot be read");
        row("no end", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)", 4, "does not end");
        row("missing key", "{'descr': '<f4', 'shape': (1,)}", 4, "lacks");
        row("unknown key", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4, "unexpected key");
        row("twice", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", 4, "unexpected key");
        row("text behind", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", 4, "after its end");
        row("bad bool", "{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", 1, "neither 0 nor 1");
        row("empty", "", 4, "no dictionary");
    }

    void negative()
    {
        QFETCH(QByteArray, header);
        QFETCH(int, dataBytes);
        QFETCH(QString, says);
        const auto tensor =
            tensorFromNpy(npy(header.toStdString(), std::string(static_cast<std::size_t>(dataBytes), '\x02')));
        QVERIFY(!tensor.has_value());
        QCOMPARE(tensor.error().kind, ErrorKind::Input);
        QVERIFY2(tensor.error().message.find(says.toStdString()) != std::string::npos, tensor.error().message.c_str());
    }

    void negative_no_prefix_and_no_flipped_byte_crashes()
    {
        const std::string good =
            npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n", bytesOf({1, 2, 3, 4, 5, 6}), 2);
        for (std::size_t length = 0; length < good.size(); ++length) {
            QVERIFY(!tensorFromNpy(good.substr(0, length)).has_value());
        }
        for (std::size_t at = 0; at < good.size(); ++at) {
            for (const int bit : {0, 3, 7}) {
                std::string bad = good;
                bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
                static_cast<void>(tensorFromNpy(bad));
            }
        }
    }

    void writes_what_it_reads()
    {
        for (const Tensor& tensor : {Tensor::of<float>({2, 2}, {1, -2, 3.5F, 0}),
                                     Tensor::of<std::int64_t>({3}, {-1, 2, 3}), Tensor::scalar<std::uint8_t>(200),
                                     Tensor::of<double>({0, 4}, {}), Tensor::of<bool>({2}, {true, false})}) {
            const auto bytes = npyFromTensor(tensor);
            QVERIFY(bytes.has_value());
            QCOMPARE((bytes->size() - tensor.bytes()) % 64, 0U);
            const auto back = tensorFromNpy(*bytes);
            QVERIFY(back.has_value());
            QVERIFY(back->identical(tensor));
        }
        QVERIFY(!npyFromTensor(Tensor::strings({1}, {"a"})).has_value());
    }

    void npz_round_trip()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.npz").toStdString();
        const Tensor a = Tensor::of<float>({2}, {1, 2});
        const Tensor b = Tensor::of<std::int8_t>({1, 3}, {1, -2, 3});
        QVERIFY(writeNpz(path, {{"x:0", a}, {"scope/y", b}}).has_value());
        const std::string first = read(path);
        QVERIFY(writeNpz(path, {{"x:0", a}, {"scope/y", b}}).has_value());
        QCOMPARE(read(path), first);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"a.npz"});
        const auto arrays = readNpz(path, 64.0, {});
        QVERIFY(arrays.has_value());
        QCOMPARE(arrays->size(), 2U);
        QCOMPARE((*arrays)[0].first, std::string("x:0"));
        QVERIFY((*arrays)[0].second.identical(a));
        QCOMPARE((*arrays)[1].first, std::string("scope/y"));
        QVERIFY((*arrays)[1].second.identical(b));
    }

    void negative_a_failed_write_leaves_the_old_file()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.npz").toStdString();
        write(path, "old");
        const auto result = writeNpz(path, {{"text", Tensor::strings({1}, {"a"})}});
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().kind, ErrorKind::Output);
        QCOMPARE(read(path), std::string("old"));
        const auto nowhere = writeNpz(folder.filePath("none/a.npz").toStdString(), {{"a", Tensor::scalar(1.0F)}});
        QVERIFY(!nowhere.has_value());
        QCOMPARE(nowhere.error().kind, ErrorKind::Output);
    }

    void negative_no_damaged_archive_is_read_as_if_whole()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("a.npz").toStdString();
        const Tensor a = Tensor::of<float>({4}, {1, 2, 3, 4});
        QVERIFY(writeNpz(path, {{"a", a}}).has_value());
        const std::string good = read(path);
        const std::string bad = folder.filePath("bad.npz").toStdString();
        // Up to where only the comment at the end is missing, which libzip 1.11 no longer minds.
        const std::size_t whole = good.rfind("PK\x05\x06") + 22;
        QVERIFY(whole > 22 && whole <= good.size());
        for (std::size_t length = 0; length < whole; ++length) {
            write(bad, good.substr(0, length));
            const auto arrays = readNpz(bad, 64.0, {});
            QVERIFY(!arrays.has_value());
            QCOMPARE(arrays.error().file, bad);
        }
        const std::size_t data = good.find("\x93NUMPY");
        QVERIFY(data != std::string::npos);
        for (std::size_t at = 0; at < good.size(); ++at) {
            std::string flipped = good;
            flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
            write(bad, flipped);
            const auto arrays = readNpz(bad, 64.0, {});
            if (at >= data && at < data + 128 + 16) {
                QVERIFY2(!arrays.has_value(), "the checksum was not checked");
            }
            if (arrays && !arrays->empty()) {
                QVERIFY((*arrays)[0].second.identical(a));
            }
        }
    }

    void negative_an_archive_bomb_is_refused()
    {
        const QTemporaryDir folder;
        const std::string path = folder.filePath("zeros.npz").toStdString();
        const std::string script = "import numpy, sys; numpy.savez_compressed(sys.argv[1], "
                                   "input=numpy.zeros((4000000,), numpy.uint8))";
        QProcess python;
        python.start(qEnvironmentVariable("CREASE_PYTHON", "python3"),
                     {"-c", QString::fromStdString(script), QString::fromStdString(path)});
        if (!python.waitForFinished() || python.exitCode() != 0) {
            QSKIP("no Python with numpy");
        }
        const auto refused = readNpz(path, 64.0, {});
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error().id, std::string("npz-expansion"));
        const auto allowed = readNpz(path, 5000.0, {});
        QVERIFY(allowed.has_value());
        QCOMPARE((*allowed)[0].second.size(), 4000000U);
    }
};

QTEST_APPLESS_MAIN(TestNpy)
#include "tst_npy.moc"
