import { expect, test } from 'vitest';
import { compareVersions } from './compare-versions.ts';

test('versions are ordered as semantic versioning does', () => {
  const ordered = ['nightly', '0.9.9', 'v0.14.8', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta.2']
    .concat(['1.0.0-beta.11', 'v1.0.0-rc.1', '1.0.0', 'release-1.0.1', '1.2', '1.10.0', '2.0.0'])
    .map((version, place) => ({ version, place }));
  for (const a of ordered)
    for (const b of ordered)
      expect([a.version, b.version, Math.sign(compareVersions(a.version, b.version))]).toEqual([
        a.version,
        b.version,
        Math.sign(a.place - b.place),
      ]);
  expect(compareVersions('v1.2.0+build.7', '1.2')).toBe(0);
});
