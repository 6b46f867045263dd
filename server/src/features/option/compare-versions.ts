interface Version {
  numbers: number[];
  /** Identifiers of a pre-release, such as `beta` and `2`; empty for a release. */
  early: string[];
}

/**
 * Orders two version texts as semantic versioning does, with or without a prefix: positive if `a` is the later one. A
 * pre-release comes before its release. Texts without a number are the oldest; build metadata is ignored.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  for (let at = 0; at < Math.max(left.numbers.length, right.numbers.length); at++) {
    const difference = (left.numbers[at] ?? 0) - (right.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareEarly(left.early, right.early);
}

function parse(text: string): Version {
  const [, numbers = '', early = ''] = /(\d+(?:\.\d+)*)(?:-([\da-z.-]+))?/i.exec(text) ?? [];
  return {
    numbers: numbers === '' ? [-1] : numbers.split('.').map(Number),
    early: early === '' ? [] : early.split('.'),
  };
}

function compareEarly(a: string[], b: string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left, right] = [a[at], b[at]];
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    const difference = compareIdentifiers(left, right);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Numbers by value and before texts; texts by their characters. */
function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => (/^\d+$/.test(text) ? Number(text) : undefined));
  if (left !== undefined && right !== undefined) return left - right;
  if (left !== undefined) return -1;
  if (right !== undefined) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
