"""The document roots: files of known sizes and scripts of known cost, and Debian's DokuWiki."""
import os
import pathlib
import random
import shutil

SCRIPTS = {
    "hello.php": "<?php echo 'Hello, world';",
    "empty.php": "<?php",
    "100k.php": "<?php echo str_repeat('0123456789abcdef', 6400);",
    "post.php": "<?php echo strlen(file_get_contents('php://input'));",
    "slow.php": "<?php usleep(50000); echo 'ok';",
    "cpu50.php": "<?php $end = getrusage()['ru_utime.tv_usec'] + 1e6 * getrusage()['ru_utime.tv_sec'] + 50000;\n"
                 "do { for ($i = 0; $i < 2000; $i++) { $h = md5($i); } $now = getrusage(); }\n"
                 "while ($now['ru_utime.tv_usec'] + 1e6 * $now['ru_utime.tv_sec'] < $end); echo 'ok';",
}
MANY = 10_000


def make(folder):
    """Text that does not compress away; the same in each run."""
    noise = random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {"1k.html": 1024, "page.html": 12812, "1m.bin": 1 << 20, "100m.bin": 100 << 20}
    for name, size in sizes.items():
        if not (folder / name).exists() or (folder / name).stat().st_size != size:
            (folder / name).write_bytes(noise.randbytes(size))
    for name, text in SCRIPTS.items():
        (folder / name).write_text(text)
    many = folder / "many"
    if not (many / f"{MANY - 1}.html").exists():
        many.mkdir(exist_ok=True)
        for number in range(MANY):
            (many / f"{number}.html").write_bytes(noise.randbytes(4096))
    open_to_all(folder)


def make_wiki(folder, package=pathlib.Path("/usr/share/dokuwiki")):
    """A copy of the package that anybody may read, with its configuration and data inside."""
    if not package.is_dir():
        raise SystemExit("Debian's dokuwiki is not installed")
    if not (folder / "doku.php").exists():
        shutil.copytree(package, folder, symlinks=False, ignore_dangling_symlinks=True, dirs_exist_ok=True)
        data = folder / "bench-data"
        for name in ("attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta",
                     "pages", "tmp"):
            (data / name).mkdir(parents=True, exist_ok=True)
        conf = folder / "bench-conf"
        conf.mkdir(exist_ok=True)
        (conf / "local.php").write_text(f"<?php\n$conf['title'] = 'A wiki';\n$conf['savedir'] = '{data}';\n"
                                        "$conf['useacl'] = 0;\n$conf['updatecheck'] = 0;\n$conf['basedir'] = '/';\n")
        (folder / "inc" / "preload.php").write_text(f"<?php define('DOKU_CONF', '{conf}/');\n")
    open_to_all(folder)


def open_to_all(folder):
    for path in [folder, *folder.rglob("*")]:
        wanted = 0o777 if path.is_dir() else 0o644
        if not path.is_symlink() and path.stat().st_mode & 0o777 != wanted:
            os.chmod(path, wanted)
