import { type LocalSite, startSite } from './local-site.ts';

export interface LocalWeChat extends LocalSite {
  token: string;
  /** The public account's reply to a message: a sign-in code. */
  answer(wechatId: string): string;
}

/** A simulated server for a WeChat public account. */
export async function startWeChat(): Promise<LocalWeChat> {
  const codes = new Map<string, string>();
  let last = 100_000;
  const site = await startSite(({ path, query, headers }) => {
    if (path !== '/api/wechat/user') return undefined;
    if (headers.authorization !== wechat.token) return { body: { success: false, message: 'token' } };
    const code = query.get('code') ?? '';
    const id = codes.get(code);
    codes.delete(code);
    return { body: id ? { success: true, message: '', data: id } : { success: false, message: 'code', data: '' } };
  });
  const wechat: LocalWeChat = Object.assign(site, {
    token: 'a-token-of-wechat',
    answer(wechatId: string) {
      const code = String(++last);
      codes.set(code, wechatId);
      return code;
    },
  });
  return wechat;
}
