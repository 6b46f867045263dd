import manifest from '../package.json' with { type: 'json' };

/** The version that clients of the product family compare with. */
export const version = 'v0.14.8';

/** The version of this program, as in CHANGELOG.md; a semantic version without a prefix. */
export const productVersion: string = manifest.version;
