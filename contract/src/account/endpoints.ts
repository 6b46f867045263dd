import { endpoints } from '../endpoint.ts';
import type { accessKeySchemas } from './access-key.ts';
import type { oauthSchemas } from './oauth.ts';
import type { passkeySchemas } from './passkey.ts';
import type { profileSchemas } from './profile.ts';
import type { totpSchemas, secondStepSchemas, proofSchemas } from './totp.ts';
import type { registerSchemas } from './user-register.ts';

export const accessKeyApi = endpoints<typeof accessKeySchemas>({
  list: 'GET /api/user/self/access_keys',
  create: 'POST /api/user/self/access_keys',
  update: 'PUT /api/user/self/access_keys/:id',
  rotate: 'POST /api/user/self/access_keys/:id/rotate',
  remove: 'DELETE /api/user/self/access_keys/:id',
});

export const oauthApi = endpoints<typeof oauthSchemas>({
  state: 'GET /api/oauth/state',
  endpoint: 'GET /api/oauth/endpoint',
  github: 'GET /api/oauth/github',
  lark: 'GET /api/oauth/lark',
  oidc: 'GET /api/oauth/oidc',
  wechat: 'GET /api/oauth/wechat',
  wechatBind: 'GET /api/oauth/wechat/bind',
  telegramCode: 'POST /api/oauth/telegram/code',
  identities: 'GET /api/user/identities',
  unbind: 'DELETE /api/user/identities/:provider',
  unbindByType: 'POST /api/user/unbind',
  unbindOf: 'DELETE /api/user/:id/identities/:provider',
});

export const passkeyApi = endpoints<typeof passkeySchemas>({
  list: 'GET /api/user/self/passkeys',
  begin: 'POST /api/user/self/passkeys/options',
  add: 'POST /api/user/self/passkeys',
  rename: 'PUT /api/user/self/passkeys/:id',
  remove: 'DELETE /api/user/self/passkeys/:id',
  beginSignIn: 'POST /api/user/login/passkey/options',
  signIn: 'POST /api/user/login/passkey',
});

export const profileApi = endpoints<typeof profileSchemas>({
  update: 'PUT /api/user/self',
  security: 'GET /api/user/self/security',
  sessions: 'GET /api/user/sessions',
  endSession: 'DELETE /api/user/sessions/:id',
  endOtherSessions: 'DELETE /api/user/sessions',
  makeAccessToken: 'POST /api/user/token',
  makeAccessTokenByGet: 'GET /api/user/token',
  removeAccessToken: 'DELETE /api/user/token',
  setAccessTokenScope: 'PUT /api/user/token/scope',
  webhookSecret: 'GET /api/user/webhook_secret',
  closing: 'GET /api/user/self/closing',
  close: 'POST /api/user/self/close',
});

/** Two-step verification with an authenticator app. */
export const totpApi = endpoints<typeof totpSchemas>({
  get: 'GET /api/user/self/totp',
  begin: 'POST /api/user/self/totp/begin',
  enable: 'POST /api/user/self/totp',
  renew: 'POST /api/user/self/totp/recovery',
  disable: 'DELETE /api/user/self/totp',
  reset: 'DELETE /api/user/:id/second_factor',
});

/** Second step of a sign-in, in the same browser. */
export const secondStepApi = endpoints<typeof secondStepSchemas>({
  get: 'GET /api/user/login/second',
  take: 'POST /api/user/login/second',
});

/** Re-authentication before sensitive operations; valid for ten minutes. */
export const proofApi = endpoints<typeof proofSchemas>({
  get: 'GET /api/user/self/proof',
  prove: 'POST /api/user/self/proof',
  beginPasskey: 'POST /api/user/self/proof/passkey/options',
  byPasskey: 'POST /api/user/self/proof/passkey',
});

/** Registration, and actions by e-mail. */
export const registerApi = endpoints<typeof registerSchemas>({
  sendCode: 'GET /api/verification',
  register: 'POST /api/user/register',
  askReset: 'GET /api/reset_password',
  checkReset: 'POST /api/user/reset/check',
  reset: 'POST /api/user/reset',
  sendLoginCode: 'POST /api/user/login/mail',
  loginByCode: 'POST /api/user/login/code',
  bindEmail: 'POST /api/oauth/email/bind',
  bindEmailByGet: 'GET /api/oauth/email/bind',
  affCode: 'GET /api/user/aff',
  makeAffCode: 'POST /api/user/aff',
  invitations: 'GET /api/user/self/invitations',
});
