import { createHash, createPrivateKey, sign } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../lib/run.ts';
import { lockedPackages, type LockedPackage, nameAt, packedWorkspaces } from './run-time-packages.ts';

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/**
 * The software bill of materials of the package: CycloneDX 1.6, from the lock file. The packages of the server are in the
 * archive as they are, those of the console inside its scripts. The same lock file gives the same bytes.
 */
export function sbomOf(version: string): string {
  const inArchive = lockedPackages(packedWorkspaces);
  const all = new Map([...lockedPackages(['console']), ...inArchive]);
  const components = [...all].map(([place, entry]) => componentOf(place, entry, inArchive.has(place)));
  const digest = sha256(JSON.stringify(components));
  const own = { type: 'application', name: 'relay-hub', version, purl: `pkg:npm/relay-hub@${version}` };
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // A UUID of version 8, whose bits are free: the same content has the same number.
    serialNumber: `urn:uuid:${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`,
    version: 1,
    metadata: { component: { ...own, 'bom-ref': own.purl, licenses: [{ license: { id: 'MIT' } }] } },
    components,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function componentOf(place: string, { version, integrity, license }: LockedPackage, isInArchive: boolean) {
  const name = nameAt(place);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm, hash = ''] = integrity?.split('-', 2) ?? [];
  return {
    type: 'library',
    'bom-ref': `${purl}#${place}`,
    name,
    version,
    purl,
    ...(license !== undefined && { licenses: [{ expression: license }] }),
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
    properties: [{ name: 'relay-hub:part', value: isInArchive ? 'server' : 'console' }],
  };
}

/** From which commit and lock file an archive was built: an in-toto statement with SLSA provenance 1, not signed. */
export function provenanceOf(name: string, archive: Buffer): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const changed = spawnSync('git', ['status', '--porcelain', '-uno'], { cwd: root, encoding: 'utf8' }).stdout;
  const lock = sha256(readFileSync(path.join(root, 'package-lock.json')));
  const source = { uri: 'relay-hub', digest: { gitCommit: stdout?.trim() } };
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name, digest: { sha256: sha256(archive) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:relay-hub:npm-run-pack',
        externalParameters: { command: 'npm run pack' },
        internalParameters: { node: process.version, changedSources: status === 0 ? changed !== '' : null },
        resolvedDependencies: [
          ...(status === 0 ? [source] : []),
          { uri: 'package-lock.json', digest: { sha256: lock } },
        ],
      },
      runDetails: { builder: { id: 'urn:relay-hub:own-machine' } },
    },
  };
  return `${JSON.stringify(statement, undefined, 2)}\n`;
}

/** The line of `sha256sum -c`. */
export const checksumOf = (name: string, archive: Buffer): string => `${sha256(archive)}  ${name}\n`;

/** An Ed25519 signature of the archive, raw, by the private key in a PEM file. Throws for other keys. */
export function signatureOf(archive: Buffer, keyFile: string): Buffer {
  const key = createPrivateKey(readFileSync(keyFile));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${keyFile} is not an Ed25519 key`);
  return sign(null, archive, key);
}
