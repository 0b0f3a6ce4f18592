"""The parameters of kernels and templates, as a source writes them."""

import pytest
from mlusim.simulator.kernelc.declared import Declared, TemplateParameter
from mlusim.simulator.kernelc.parameters import read_parameters, read_template
from mlusim.simulator.kernelc.tokens import tokens


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("int n", "int", "n"),
        ("unsigned int", "unsigned int", ""),
        ("unsigned", "unsigned", ""),
        ("const float *__restrict__ in", "const float *__restrict__", "in"),
        ("const ns::Param<float, (3 > 2)> &p", "const ns::Param<float, (3 > 2)> &", "p"),
        ("ns::Param", "ns::Param", ""),
        ("const Param", "const Param", ""),
        ("struct Param p", "struct Param", "p"),
        ("float a[4][8]", "float [4][8]", "a"),
        ("void (*f)(int, float)", "void (* )(int, float)", "f"),
        ("int (&a)[4]", "int (& )[4]", "a"),
        ("__nram__ half *x", "half *", "x"),
        ("std::size_t n = f(1, 2)", "std::size_t", "n"),
    ],
)
def test_a_parameter(text, kind, name):
    (found,) = read_parameters(list(tokens(text, 0)))
    assert (found.type, found.name, found.pack) == (kind, name, False)
    assert not {"=", "__nram__"}.intersection(found.text.split())


def test_parameters():
    assert read_parameters(list(tokens("void", 0))) == () == read_parameters([])
    found = read_parameters(list(tokens("int n, Ts *...ps", 0)))
    assert [(p.text, p.type, p.name, p.pack) for p in found] == [
        ("int n", "int", "n", False), ("Ts *...ps", "Ts *", "ps", True),
    ]  # fmt: skip
    assert found[0] == Declared("int n", "int", "n")


def test_a_template():
    text = "<typename T, class U = ns::A<T, 3>, int N = (4 > 2), bool, typename... Ts, template <class> class C>"
    assert read_template(list(tokens(text, 0))) == (
        TemplateParameter("type", "T"),
        TemplateParameter("type", "U", default="ns::A<T, 3>"),
        TemplateParameter("int", "N", default="(4 > 2)"),
        TemplateParameter("bool", ""),
        TemplateParameter("type", "Ts", pack=True),
        TemplateParameter("template <class> class", "C"),
    )
