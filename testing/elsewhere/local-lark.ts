import { randomBytes } from 'node:crypto';
import { type LocalSite, startSite } from './local-site.ts';

export interface LarkUser {
  open_id: string;
  name: string;
  enterprise_email?: string;
}

export interface LocalLark extends LocalSite {
  appId: string;
  appSecret: string;
  user: LarkUser;
  code(): string;
}

/** A simulated Lark, which always replies 200 with the result in `code`. */
export async function startLark(): Promise<LocalLark> {
  const APP_TOKEN = 'a-token-of-the-app';
  const codes = new Map<string, LarkUser>();
  const tokens = new Map<string, LarkUser>();
  const no = (code: number, msg: string) => ({ body: { code, msg } });
  const site = await startSite(({ path, headers, body, query }) => {
    const bearer = headers.authorization?.replace(/^Bearer /, '') ?? '';
    switch (path) {
      case '/open-apis/authen/v1/authorize': {
        const back = new URLSearchParams({ code: lark.code(), state: query.get('state') ?? '' });
        return { status: 302, headers: { location: `${query.get('redirect_uri')}?${back.toString()}` } };
      }
      case '/open-apis/auth/v3/app_access_token/internal/':
        if (body['app_id'] !== lark.appId || body['app_secret'] !== lark.appSecret)
          return no(10014, 'app secret invalid');
        return { body: { code: 0, msg: 'ok', app_access_token: APP_TOKEN, expire: 7200 } };
      case '/open-apis/authen/v1/oidc/access_token': {
        const user = codes.get(String(body['code']));
        codes.delete(String(body['code']));
        if (bearer !== APP_TOKEN || body['grant_type'] !== 'authorization_code' || !user)
          return no(20003, 'invalid code');
        const access_token = randomBytes(10).toString('hex');
        tokens.set(access_token, user);
        return { body: { code: 0, msg: 'success', data: { access_token, token_type: 'Bearer', expires_in: 7200 } } };
      }
      case '/open-apis/authen/v1/user_info': {
        const user = tokens.get(bearer);
        return user ? { body: { code: 0, msg: 'success', data: user } } : no(20005, 'invalid access token');
      }
      default:
        return undefined;
    }
  });
  const lark: LocalLark = Object.assign(site, {
    appId: 'cli_local',
    appSecret: 'a-secret-of-lark',
    user: { open_id: 'ou_1', name: '张三' },
    code() {
      const code = randomBytes(10).toString('hex');
      codes.set(code, lark.user);
      return code;
    },
  });
  return lark;
}
