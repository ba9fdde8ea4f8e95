"""Real faults: calls to the system that it refuses to one thread alone, as a failing disk would."""

from __future__ import annotations

import ctypes
import platform
import sys
import threading
from collections.abc import Callable

# Linux gives each kind of processor its own numbers; one call may have several names.
_NUMBERS = {
    "x86_64": {
        "write": (1, 18),
        "sync": (74, 75),
        "delete": (84, 87, 263),
        "rename": (82, 264, 316),
        "make": (83, 258),
        "resize": (77, 285),
    },
    "aarch64": {
        "write": (64, 68),
        "sync": (82, 83),
        "delete": (35,),
        "rename": (38, 276),
        "make": (34,),
        "resize": (46, 47),
    },
}
_LOAD_NUMBER, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06  # of the little machine that judges calls
_REFUSE, _ALLOW = 0x00050000, 0x7FFF0000
_NO_NEW_RIGHTS, _SET_FILTER, _BY_PROGRAM = 38, 22, 2


class _Step(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.POINTER(_Step)))


def why_not() -> str | None:
    """Say why faults cannot be made here."""
    if sys.platform != "linux" or platform.machine() not in _NUMBERS:
        return "Only Linux refuses calls on request."
    return None if while_failing(("make",), 5, lambda: None) is None else "This machine does not let calls be refused."


def while_failing(calls: tuple[str, ...], error: int, act: Callable[[], object]) -> BaseException | None:
    """Do something in a thread to which the system refuses some calls; return what was raised.

    Others are not concerned, and with the thread the fault goes.
    """
    raised: list[BaseException] = []

    def work() -> None:
        try:
            _refuse([number for call in calls for number in _NUMBERS[platform.machine()][call]], error)
            act()
        except BaseException as found:  # noqa: BLE001  it is handed over
            raised.append(found)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return raised[0] if raised else None


def _refuse(numbers: list[int], error: int) -> None:
    """Let calls of this thread, by number, end in an error from now on."""
    steps = [_Step(_LOAD_NUMBER, 0, 0, 0)]
    for number in numbers:
        steps += [_Step(_JUMP_IF_EQUAL, 0, 1, number), _Step(_RETURN, 0, 0, _REFUSE | error)]
    steps.append(_Step(_RETURN, 0, 0, _ALLOW))
    program = _Program(len(steps), (_Step * len(steps))(*steps))
    system = ctypes.CDLL(None, use_errno=True)
    if system.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0) or system.prctl(_SET_FILTER, _BY_PROGRAM, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), "calls cannot be refused")
