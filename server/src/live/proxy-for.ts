import { createHash } from 'node:crypto';

/** A channel's proxy for one of its keys: `%s` in it stands for what tells keys apart and tells nothing of them. */
export const proxyFor = (proxy: string, key: string): string =>
  proxy.includes('%s') ? proxy.replaceAll('%s', createHash('md5').update(key).digest('hex')) : proxy;
