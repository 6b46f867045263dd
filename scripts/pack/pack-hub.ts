import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/run.ts';
import { clientAbouts, packedCommands } from './commands.ts';
import { contractExports, compile } from './compile.ts';
import { runTimePackages } from './run-time-packages.ts';
import { sbomOf } from './sbom.ts';
import { type PackedFile, tarball } from './tarball.ts';

interface Manifest {
  version: string;
  description: string;
  license: string;
  dependencies: Record<string, string>;
}

const texts = ['LICENSE', 'CHANGELOG.md'];
/** For machines that have the package only. */
const sites = ['deploy/relay-hub.service', 'deploy/nginx.conf', 'deploy/Caddyfile'];

const read = (file: string): Buffer => readFileSync(path.join(root, file));
const manifestOf = (folder: string): Manifest =>
  JSON.parse(read(path.join(folder, 'package.json')).toString()) as Manifest; // npm's format
const found = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .toSorted();

/** Modules that are loaded by name; workers and data are found by their references. */
const entries = () => [
  'server/src/main.ts',
  ...found('server/src/providers/adapters/*.ts'),
  ...found('server/src/payments/gateways/*.ts'),
  ...Object.keys(packedCommands).map((name) => `scripts/${name}.ts`),
  'scripts/cli.ts',
];

/** The compiled modules of the package, and the packages that they import. */
export const packedModules = () => compile(entries());

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/**
 * The installable package: compiled server and contract, run-time dependencies and the console, which has to be built.
 * The same files give the same bytes.
 */
export async function packHub(): Promise<{ name: string; archive: Buffer; sbom: string }> {
  const { version, description, license } = manifestOf('.');
  const { files } = packedModules();
  // The server reads its version here; everything else in it is for the sources.
  files.set('server/package.json', json({ version, private: true, type: 'module', imports: { '#*': './src/*' } }));
  files.set(
    'node_modules/@relay-hub/contract/package.json',
    json({
      name: '@relay-hub/contract',
      version,
      type: 'module',
      exports: Object.fromEntries(
        Object.entries(contractExports).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]),
      ),
      dependencies: manifestOf('contract').dependencies,
    }),
  );
  files.set('package.json', json({ private: true, type: 'module' }));
  files.set('commands.json', json({ operator: packedCommands, client: clientAbouts }));
  for (const file of found('console/dist/**/*').concat(found('console/dist/.vite/*'))) addFile(files, file);
  for (const [place, names] of runTimePackages()) for (const name of names) addFile(files, `${place}/${name}`);
  const manifest = { name: 'relay-hub', version, description, license, bin: { 'relay-hub': 'relay-hub.cjs' } };
  const sbom = sbomOf(version);
  const packed: PackedFile[] = [
    { name: 'package/package.json', content: json({ ...manifest, engines: { node: '>=26' } }) },
    { name: 'package/relay-hub.cjs', content: read('scripts/pack/relay-hub.cjs'), executable: true },
    { name: 'package/sbom.cdx.json', content: sbom },
    ...[...texts, ...sites].map((file) => ({ name: `package/${file}`, content: read(file) })),
    // Dependencies lie where npm does not look, so that it installs the package without asking a registry.
    ...[...files]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, content]) => ({ name: `package/hub/${name}`, content })),
  ];
  return {
    name: `relay-hub-${version}.tgz`,
    archive: await tarball(packed),
    sbom,
  };
}

function addFile(files: Map<string, string | Buffer>, file: string): void {
  files.set(file, read(file));
}
