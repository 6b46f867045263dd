import { createHash } from 'node:crypto';

/** A channel's proxy for one of its keys: `%s` is replaced by a hash that distinguishes keys without revealing them. */
export const proxyFor = (proxy: string, key: string): string =>
  proxy.includes('%s') ? proxy.replaceAll('%s', createHash('md5').update(key).digest('hex')) : proxy;
