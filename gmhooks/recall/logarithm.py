"""Hot: the natural logarithm. The `math` module is a shared library in most builds; loading it costs 0.6 M instructions."""

from __future__ import annotations

_LN2 = 0.6931471805599453
_ROOT_HALF = 0.7071067811865476
def ln(value: float) -> float:
    """ln of a number of 1 or more, within 1e-14 of its size or of 1."""
    exponent = int(value).bit_length()
    rest = value / (1 << exponent)
    if rest < _ROOT_HALF:
        rest *= 2.0
        exponent -= 1
    s = (rest - 1.0) / (rest + 1.0)
    square = s * s
    # 2/(2k+1) for k = 8 … 0: ln((1+s)/(1-s)) = 2·(s + s³/3 + s⁵/5 + …), here with |s| below 0.172; a loop costs more
    total = (2.0 / 17 * square + 2.0 / 15) * square + 2.0 / 13
    total = ((total * square + 2.0 / 11) * square + 2.0 / 9) * square + 2.0 / 7
    total = ((total * square + 2.0 / 5) * square + 2.0 / 3) * square + 2.0
    return exponent * _LN2 + s * total
