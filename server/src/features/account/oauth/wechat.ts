import * as z from 'zod/mini';
import { ensure } from '#errors.ts';
import { askJson, type IdentityProviderDeps, get } from './ask.ts';
import type { Identity } from '#features/account/identity/identity.ts';

const answer = z.object({ success: z.boolean(), data: z.nullish(z.string()) });

/**
 * The identity for a code from the public account, looked up at the configured WeChat server. Throws `oauth.code`,
 * `oauth.refused`, `oauth.unreachable`.
 */
export async function identifyByWeChat(asking: IdentityProviderDeps, code: string): Promise<Identity> {
  const { WeChatServerAddress: server, WeChatServerToken: token } = asking.live.settings;
  const address = `${server}/api/wechat/user?code=${encodeURIComponent(code)}`;
  const { success, data } = await askJson(asking, 'wechat', answer, [address, get({ authorization: token })]);
  const subject = (data ?? '').trim();
  ensure(success && subject !== '', 'oauth.code', { field: 'code' });
  return {
    provider: 'wechat',
    issuer: '',
    subject,
    name: subject,
    username: '',
    displayName: '',
    email: '',
    avatarUrl: '',
  };
}
