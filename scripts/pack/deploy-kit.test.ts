import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { productVersion } from '../../server/src/version.ts';
import { root } from '../lib/run.ts';
import { instructions } from './image-steps.ts';

const read = (file: string): string => readFileSync(path.join(root, 'deploy', file), 'utf8');

test('images and manifests name the version of the product', () => {
  for (const file of ['compose.yaml', 'compose.cluster.yaml', 'kubernetes/relay-hub.yaml']) {
    const versions = [...read(file).matchAll(/\brelay-hub:(\S+)/g)].map(([, version]) => version);
    expect([file, new Set(versions)]).toEqual([file, new Set([productVersion])]);
  }
});

test('the image copies only what exists and is in the build context', () => {
  const context = [...read('Dockerfile.dockerignore').matchAll(/^!(\S+)$/gm)].map(([, name = '']) => name);
  const sources = instructions
    .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
    .flatMap((line) => line.split(' ').slice(1, -1))
    .filter((source) => source !== '.');
  expect([...sources, ...context].filter((source) => !existsSync(path.join(root, source)))).toEqual([]);
  const isIn = (source: string) => context.some((name) => source === name || source.startsWith(`${name}/`));
  expect(sources.filter((source) => !isIn(source))).toEqual([]);
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
test.skipIf(!hasSystemd)('the systemd unit has no unknown setting, and little exposure', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-unit-'));
  const unit = path.join(folder, 'relay-hub.service');
  writeFileSync(unit, read('relay-hub.service').replace('/usr/bin/node', `"${process.execPath}"`));
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  expect(verified.stderr.split('\n').filter((line) => line.includes('relay-hub.service'))).toEqual([]);
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', unit], { encoding: 'utf8' });
  const [, exposure = '10'] = /exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  expect(Number(exposure)).toBeLessThan(2.5);
  rmSync(folder, { recursive: true });
});
