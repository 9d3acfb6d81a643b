"""What is timed: commands, which start anew for every turn, and servers, which keep their data and time themselves."""

import dataclasses
import os
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "bench" / "speed"
DATA = BUILD / "data"
RELEASE = ROOT / "build" / "bench" / "release"
PROGRAMS = RELEASE / "bench" / "speed"


@dataclasses.dataclass
class Result:
    """What one contender needed for one piece of work."""
    seconds: list = dataclasses.field(default_factory=list)
    peak: int = 0  # bytes of resident memory
    check: float | None = None  # a number that those who did the same work agree on

    @property
    def median(self):
        return statistics.median(self.seconds)


class Failure(Exception):
    pass


class Command:
    """A command line; what counts is everything from its start to its end. It may be run several times in a turn, which
    then counts as their median."""

    def __init__(self, *words, repeat=1, checked=True, look=None):
        self.words = [str(word) for word in words]
        self.repeat = repeat
        self.checked = checked  # its last word on standard output is a number to be compared
        self.look = look  # or this finds the number, afterwards

    def turn(self, result):
        log = BUILD / "launch.txt"
        words = [str(PROGRAMS / "bench_launch"), str(self.repeat), str(log), *self.words]
        run = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if self.checked else subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
        launches = [line.split() for line in log.read_text().splitlines()] if run.returncode == 0 else []
        if not launches or any(status != "0" for _, _, status in launches):
            raise Failure(run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "it failed without a word")
        result.peak = max(result.peak, *(int(peak) for _, peak, _ in launches))
        if self.look:
            result.check = self.look()
        elif self.checked:
            result.check = float(run.stdout.split()[-1])
        return statistics.median(float(seconds) for seconds, _, _ in launches)


class Served:
    """A turn of a server, which others may have turns of too; it is started by the first that needs it."""
    running = {}

    def __init__(self, name, *words, threads=0, checked=True):
        self.request = "%s %d\n" % (name, threads)
        self.words = tuple(str(word) for word in words)
        self.checked = checked

    def process(self):
        if self.words not in Served.running:
            server = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True)
            Served.running[self.words] = server
            self.expect_line(server)
        return Served.running[self.words]

    @staticmethod
    def expect_line(server):
        line = server.stdout.readline()
        if not line:
            raise Failure((server.stderr.read().strip().splitlines() or ["it ended without a word"])[-1])
        return line

    def turn(self, result):
        server = self.process()
        server.stdin.write(self.request)
        server.stdin.flush()
        seconds, check = self.expect_line(server).split()
        if self.checked:
            result.check = float(check)
        result.peak = max(result.peak, peak_of(server.pid))
        return float(seconds)

    @classmethod
    def stop_all(cls):
        for server in cls.running.values():
            server.stdin.close()
            server.wait()
        cls.running.clear()


def peak_of(process):
    """The greatest resident memory of a process that runs, in bytes; 0 where the system does not say."""
    try:
        for line in pathlib.Path("/proc/%d/status" % process).read_text().splitlines():
            if line.startswith("VmHWM:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    return 0


def processors():
    return len(os.sched_getaffinity(0))
