# SPDX-License-Identifier: Apache-2.0
"""Which file a process of `toehold test` takes next; conftest.py hands this to pytest-xdist."""

from pathlib import Path

from xdist.scheduler import LoadFileScheduling


class Schedule(LoadFileScheduling):
    """Files stay whole. One process takes all that hold serial tests, one after another, so that no
    other waits for their lock; of the others those marked as long come first, so that none of them
    begins when the rest is done, and then those with most tests.
    """

    def _assign_work_unit(self, node) -> None:
        self.workqueue.move_to_end(self._next_file(node), last=False)
        super()._assign_work_unit(node)

    def _next_file(self, node) -> str:
        elsewhere = any(
            self._has(file, "serial") and not all(tests.values())
            for other, files in self.assigned_work.items()
            if other is not node
            for file, tests in files.items()
        )
        return min(
            self.workqueue,
            key=lambda file: (
                self._has(file, "serial") == elsewhere,
                not self._has(file, "long"),
                -len(self.workqueue[file]),
            ),
        )

    def _has(self, file: str, mark: str) -> bool:
        """Only the processes that run the tests know their marks; the file says them, too."""
        if not hasattr(self, "_texts"):
            self._texts: dict[str, str] = {}
        if file not in self._texts:
            path = Path(self.config.rootpath / file)
            self._texts[file] = path.read_text() if path.is_file() else ""
        return f"pytest.mark.{mark}" in self._texts[file]
