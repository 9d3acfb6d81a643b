"""What was answered, kept on disk, so that it is asked for again only where something that it rests on is new."""

import hashlib
import inspect
import platform

import numpy
import sklearn

from . import peers

# What every peer rests on.
SHARED = (peers.Arrays, peers.encoded, peers.marked, peers.log_kernel_density, peers.log_posteriors)


class Kept:
    """A folder of files: a name says what is answered, a key what that rests on. The last key of a name is kept."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def file(self, name, parts):
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        return self.folder / ("%s-%s.npy" % (name, key))

    def load(self, name, parts):
        """What is kept, or None."""
        path = self.file(name, parts)
        return numpy.load(path) if path.exists() else None

    def save(self, name, parts, found):
        for old in self.folder.glob(name + "-" + "?" * 16 + ".npy"):
            old.unlink()
        numpy.save(self.file(name, parts), found)


def of_peer(cut, peer):
    """The name and key of what a peer answers: it rests on the cut, on versions, and on the peer's own code."""
    parts = [cut.key, platform.python_version(), numpy.__version__, sklearn.__version__, str(peers.BINS)]
    parts += map(inspect.getsource, (peer.answer, *SHARED))
    return "%s-%s" % (cut.table.folder.name, peer.answer.__name__), parts


def of_credence(cut, part, options, command):
    """The name and key of what Credence answers in a part of a cut: it rests on the cut and on the command's own bytes."""
    way = hashlib.sha256(" ".join(options).encode()).hexdigest()[:16]
    return "%s-%d-%s" % (cut.table.folder.name, part, way), [cut.key, command.digest]
