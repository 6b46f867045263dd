import type { SessionUser } from '@relay-hub/contract';
import { oauthApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { ensureProved } from '#http/session/recent-proof.ts';
import { clientIp } from '#http/client-ip.ts';
import { siteAddress } from '#http/site-address.ts';
import { networkOf } from '#http/client-network.ts';
import { type Call, serve } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { getEnabledUser } from '#features/account/access/account-session.ts';
import { completeSignIn } from '#features/account/second-factor/complete-sign-in.ts';
import { bind } from '#features/account/identity/bind.ts';
import { identifyByGitHub } from './github.ts';
import { isWayIn, listIdentities, unbind, unbindOf } from '#features/account/identity/identity-queries.ts';
import type { Identity } from '#features/account/identity/identity.ts';
import { identifyByLark } from './lark.ts';
import { begin, comeBack, type CallbackSecrets } from './oauth-state.ts';
import { departToOidc, identifyByOidc } from './oidc.ts';
import { accountOf } from './sign-in.ts';
import { identifyByWeChat } from './wechat.ts';
import { joinTeams } from '#features/team/team-groups.ts';

const WINDOW_S = 1200;

/** Routes for signing in with identity providers and connecting them to accounts. */
export function oauthRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  const on = (provider: Identity['provider']) => ensure(isWayIn(provider, live.settings), 'oauth.off', { provider });

  serve(app, deps, oauthApi.state, async ({ query: { provider } }, call) => {
    if (provider) on(provider);
    if (call.viewer) await ensureProved(call.request, deps);
    await limit(call.request, 'oauth-begin', deps);
    return begin(call, deps, provider);
  });

  serve(app, deps, oauthApi.endpoint, async (_, call) => {
    on('oidc');
    if (call.viewer) await ensureProved(call.request, deps);
    await limit(call.request, 'oauth-begin', deps);
    const { kept, address } = await departToOidc(deps, `${siteAddress(deps, call.request.raw)}/oauth/oidc`);
    return address(await begin(call, deps, 'oidc', kept));
  });

  type SignInRoute = { provider: 'github' | 'lark' | 'oidc'; identify(kept: CallbackSecrets): Promise<Identity> };
  const back = async (
    { state, aff = '' }: { state: string; aff?: string | undefined },
    call: Call<Viewer | undefined>,
    { provider, identify }: SignInRoute,
  ): Promise<SessionUser | undefined> => {
    on(provider);
    const counted = await limit(call.request, 'oauth', deps);
    const user = await comeBack(call, deps, { provider, state }, async (kept) => {
      const identity = await identify(kept);
      if (!call.viewer) return enter(identity, aff, call, deps);
      await bind(db, call.viewer.id, identity, now());
      call.tell('bind');
      return undefined;
    });
    await counted.takeBack();
    return user;
  };

  serve(app, deps, oauthApi.github, ({ query }, call) =>
    back(query, call, { provider: 'github', identify: () => identifyByGitHub(deps, query.code) }),
  );
  serve(app, deps, oauthApi.lark, ({ query }, call) =>
    back(query, call, { provider: 'lark', identify: () => identifyByLark(deps, query.code) }),
  );
  serve(app, deps, oauthApi.oidc, ({ query }, call) =>
    back(query, call, {
      provider: 'oidc',
      identify: (kept) => identifyByOidc(deps, { ...query, iss: query.iss }, kept),
    }),
  );

  serve(app, deps, oauthApi.wechat, async ({ query: { code, aff = '' } }, call) => {
    on('wechat');
    // Short codes can be guessed, so failed attempts are limited.
    const counted = await limit(call.request, 'oauth', deps);
    const user = await enter(await identifyByWeChat(deps, code), aff, call, deps);
    await counted.takeBack();
    return user;
  });
  serve(app, deps, oauthApi.wechatBind, async ({ query: { code } }, { viewer, request }) => {
    on('wechat');
    await ensureProved(request, deps);
    const counted = await limit(request, 'oauth', deps);
    await bind(db, viewer.id, await identifyByWeChat(deps, code), now());
    await counted.takeBack();
  });

  serve(app, deps, oauthApi.identities, (_, { viewer }) => listIdentities(db, viewer.id, live.settings));
  const unbindOwn = async (provider: Identity['provider'], { viewer, request }: Call<Viewer>): Promise<void> => {
    await ensureProved(request, deps);
    await unbind(db, viewer.id, provider, live.settings);
  };
  serve(app, deps, oauthApi.unbind, ({ params }, call) => unbindOwn(params.provider, call));
  serve(app, deps, oauthApi.unbindByType, ({ body }, call) => unbindOwn(body.type, call));
  serve(app, deps, oauthApi.unbindOf, ({ params }, { viewer }) => unbindOf(db, viewer.id, params));
}

/** Signs in with an identity. Throws `oauth.disabled`, `login.second_factor`, and any refusal of a new account. */
async function enter(
  identity: Identity,
  aff: string,
  { request, reply, language }: Pick<Call<unknown>, 'request' | 'reply' | 'language'>,
  deps: Deps,
): Promise<SessionUser> {
  const ip = clientIp(request.raw, deps.config.trustedProxies);
  const id = await accountOf(identity, { aff, language, ip }, deps);
  const user = await getEnabledUser(deps, id).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError('oauth.disabled') : error;
  });
  const { groups } = identity;
  const self = { id, name: user.username };
  if (groups) await joinTeams(deps, { user: self, by: self, groups, source: 'oidc', request });
  await completeSignIn({ userId: id }, request, reply, deps);
  return user;
}

/** Counts an attempt from the client's network; `takeBack` undoes it on success. Throws `request.too_many`. */
async function limit(request: FastifyRequest, name: string, deps: Deps): Promise<{ takeBack(): Promise<void> }> {
  const { limiter, config, live } = deps;
  const key = `${name}:${networkOf(clientIp(request.raw, config.trustedProxies))}`;
  const most = live.settings.CriticalRateLimit * (name === 'oauth' ? 1 : 3);
  const seconds = await limiter.hit(key, most, WINDOW_S);
  if (seconds > 0) throw new AppError('request.too_many', { seconds });
  return { takeBack: () => limiter.takeBack(key) };
}
