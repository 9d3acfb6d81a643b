"""What peers answered, kept on disk: it is asked for again only where a cut, a version or the peer's own code is new."""

import hashlib
import inspect
import platform

import numpy
import sklearn

from . import peers

# What every peer rests on.
SHARED = (peers.Arrays, peers.encoded, peers.marked, peers.log_kernel_density, peers.log_posteriors)


class Cache:
    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def name(cut, peer):
        return "%s-%s" % (cut.table.folder.name, peer.answer.__name__)

    def file(self, cut, peer):
        parts = [cut.key, platform.python_version(), numpy.__version__, sklearn.__version__, str(peers.BINS)]
        parts += map(inspect.getsource, (peer.answer, *SHARED))
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
        return self.folder / ("%s-%s.npy" % (self.name(cut, peer), key))

    def load(self, cut, peer):
        """What is kept, or None."""
        path = self.file(cut, peer)
        return numpy.load(path) if path.exists() else None

    def save(self, cut, peer, found):
        for old in self.folder.glob(self.name(cut, peer) + "-" + "?" * 16 + ".npy"):
            old.unlink()
        numpy.save(self.file(cut, peer), found)
