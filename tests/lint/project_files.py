"""project_files.py - lists the files of the project for the lint tests

A new file counts before `git add`, so that lint finds its mistakes before the commit."""
import os
import subprocess


def project_files(root):
    """Returns the sorted paths of all files that git does not ignore."""
    output = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, stdout=subprocess.PIPE,
    ).stdout.decode()
    return sorted(f for f in set(output.split("\0")) if f and os.path.isfile(os.path.join(root, f)))
