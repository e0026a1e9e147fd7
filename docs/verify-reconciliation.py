#!/usr/bin/env python3
"""Checks reconciliation files of Dropgate: python3 and openssl are all that it needs.

    verify-reconciliation.py archive.pub 'account 5567321707' receipts/*.reconciliation.csv

It says of each file whether it was signed for that owner and its day, adds up, and begins with what was open on the day before; if not, it ends with 1."""
import base64, collections, csv, hashlib, pathlib, subprocess, sys, tempfile

CAME = {"sent": "dropped", "received": "received"}
STATES = {"sent": ("accepted", "refused", "held", "cancelled", "waiting", "forgotten"), "received": ("fetched", "unfetched", "forgotten")}
OPEN = {"held", "waiting", "unfetched"}


def is_signed(key, statement, signature):
    with tempfile.TemporaryDirectory() as folder:
        text, signed = pathlib.Path(folder, "text"), pathlib.Path(folder, "signature")
        text.write_bytes(statement)
        signed.write_bytes(signature)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", text, "-sigfile", signed]
        return subprocess.run(command, capture_output=True).returncode == 0


def check(key, owner, path, before):
    """What is wrong with the file, its day, its digest, and what was open at its end."""
    statement, _, end = open(path + ".sig", "rb").read().rpartition(b"signature: ")
    said = dict(line.split(": ", 1) for line in statement.decode().splitlines() if ": " in line)
    content = open(path, "rb").read()
    wrong = [] if is_signed(key, statement, base64.b64decode(end)) else ["the signature is not of this key and statement"]
    if said.get("for") != owner:
        wrong.append("it is for " + said.get("for", "nobody"))
    digest = hashlib.sha256(content).hexdigest()
    if said.get("sha256") != digest:
        wrong.append("the file was changed")
    rows = list(csv.DictReader(content.decode().splitlines()))
    if any(row["day"] != said.get("day") or owner.startswith("account ") and owner != "account " + row["accountRegNo"] for row in rows):
        wrong.append("it has rows of another day or account")
    for side, came in CAME.items():
        entries = collections.Counter(row["entry"] for row in rows if row["direction"] == side)
        states = collections.Counter(row["state"] for row in rows if row["direction"] == side)
        told = [" + ".join(f"{word} {counts[word]}" for word in words) for counts, words in ((entries, ("carried", came)), (states, STATES[side]))]
        if said.get(side) != " = ".join(told) or sum(entries.values()) != sum(states[word] for word in STATES[side]):
            wrong.append(f"{side}: {said.get(side)} was signed, and the rows are {' = '.join(told)}")
    if before and said.get("before") == f"{before[0]} {before[1]}":
        if before[2] != {row["id"] for row in rows if row["entry"] == "carried"}:
            wrong.append("it does not begin with what was open the day before")
    elif before:
        wrong.append(f"it follows {said.get('before')}, and not {before[0]} as it is here")
    return wrong, (said.get("day"), digest, {row["id"] for row in rows if row["state"] in OPEN})


failed, last = False, None
for path in sorted(sys.argv[3:], key=lambda path: pathlib.Path(path).name):  # by day, in whatever folders they lie
    try:
        wrong, last = check(sys.argv[1], sys.argv[2], path, last)
    except (OSError, LookupError, ValueError, csv.Error) as error:  # it, or its .sig, is not there, or is something else
        wrong = [f"it cannot be checked: {error}"]
    print(f"{path}: {'; '.join(wrong) or 'ok'}")
    failed = failed or bool(wrong)
sys.exit(failed)
