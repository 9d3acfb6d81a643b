# SPDX-License-Identifier: MIT
"""The extension module by itself: settings, frames, readers, models."""

import array
import sys

import pytest

from credence import _core, errors


def test_settings_are_canonical_and_wrong_ones_name_themselves():
    settings = _core.make_settings({"smoothing": "m:1.0"})
    assert settings.values()["smoothing"] == "m:1"
    with pytest.raises(errors.SettingError) as caught:
        _core.make_settings({"smoothing": "often"})
    assert caught.value.code == "setting"


def test_a_frame_trains_the_model_that_its_bytes_give_back():
    frame = _core.make_frame(4)
    frame.add_numbers("x", array.array("d", [1, 2, 3, 5]))
    frame.add_codes("y", array.array("i", [0, 0, 1, 1]), ["no", "yes"])
    reader = _core.open_frames([frame])
    reader.select_target("y")
    model, facts = _core.train_model(reader)
    assert facts["rows"] == 4
    again = _core.decode_model(model.encode())
    assert again.encode() == model.encode()
    classifier = _core.make_classifier(model)
    assert classifier.classes() == ("no", "yes")
    assert classifier.attributes() == ("x",)


def test_a_file_that_is_not_there_is_the_exception_of_python_too(tmp_path):
    with pytest.raises(FileNotFoundError):
        _core.open_files([tmp_path / "absent.csv"])


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal since Python 3.12")
def test_references_of_none_are_kept_in_balance():
    """With headers that take None for immortal, a module for older versions gave none back."""
    frame = _core.make_frame(1)
    before = sys.getrefcount(None)
    for number in range(100):
        frame.add_numbers(f"x{number}", array.array("d", [1]))
    assert sys.getrefcount(None) > before - 50
