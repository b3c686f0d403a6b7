"""Hot: the natural logarithm. The `math` module is a shared library in most builds; loading it costs 0.6 M instructions."""

from __future__ import annotations

_LN2 = 0.6931471805599453
_ROOT_HALF = 0.7071067811865476
# 2/(2k+1) for k = 8 … 0: ln((1+s)/(1-s)) = 2·(s + s³/3 + s⁵/5 + …), here with |s| below 0.172
_TERMS = tuple([2.0 / odd for odd in range(17, 0, -2)])


def ln(value: float) -> float:
    """ln of a number of 1 or more, within 1e-14 of its size or of 1."""
    exponent = int(value).bit_length()
    rest = value / (1 << exponent)
    if rest < _ROOT_HALF:
        rest *= 2.0
        exponent -= 1
    s = (rest - 1.0) / (rest + 1.0)
    square = s * s
    total = 0.0
    for term in _TERMS:
        total = total * square + term
    return exponent * _LN2 + s * total
