import { optionApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { ensureProvedOrFamily } from '#http/session/recent-proof.ts';
import { type Call, serve } from '#http/serve.ts';
import type { Viewer } from '#http/session/session.ts';
import { askedLanguage } from '#http/reply-language.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import { writeMail } from '#mail/write-mail.ts';
import { rejoinEveryone } from '#features/scim/scim-users.ts';
import { storePicture } from '#features/site/site-pictures.ts';
import { isGuarded } from '#settings/guarded-settings.ts';
import { isSettingKey } from '#settings.ts';
import { allowAddress } from './allow-address.ts';
import { changeOptions } from './change-options.ts';
import { checkOidc } from './check-oidc.ts';
import { checkUpdate } from './check-update.ts';
import { newerVersionCheck } from './newer-version.ts';
import { listOptionChanges, listOptions, valueBefore } from './option-queries.ts';

export function optionRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;

  serve(app, deps, optionApi.list, () => listOptions(db));
  /** Changing a secret, or its destination, needs a proof of identity. */
  const change = async (
    values: Parameters<typeof changeOptions>[1],
    { viewer, language, request }: Call<Viewer>,
  ): Promise<void> => {
    if (Object.keys(values).some((key) => isSettingKey(key) && isGuarded(key)))
      await ensureProvedOrFamily(request, deps);
    await changeOptions(deps, values, { actorId: viewer.id, language });
    if (Object.hasOwn(values, 'TeamsOfGroups')) await rejoinEveryone(deps, request);
  };
  serve(app, deps, optionApi.set, ({ body: { key, value } }, call) => change({ [key]: value }, call));
  serve(app, deps, optionApi.setMany, ({ body: { values } }, call) => change(values, call));
  serve(app, deps, optionApi.allowAddress, ({ body: { address } }, { viewer, language }) =>
    allowAddress(deps, address, viewer.id, language),
  );
  serve(app, deps, optionApi.history, ({ query }) => listOptionChanges(db, query));
  serve(app, deps, optionApi.restore, async ({ params }, call) => {
    const { key, before } = await valueBefore(db, params.id);
    await change({ [key]: before }, call);
  });
  serve(app, deps, optionApi.testMail, async ({ body: { to } }, { request }) => {
    ensure(deps.mailer.isSetUp(), 'option.mail_first');
    const { Language: own, SystemName: site } = deps.live.settings;
    const language = mailLanguage(own, askedLanguage(request));
    await deps.mailer.trySend(to, writeMail({ kind: 'test', language, site }));
  });
  serve(app, deps, optionApi.addPicture, async ({ body: { data } }) => ({ address: await storePicture(deps, data) }));
  serve(app, deps, optionApi.checkOidc, ({ body }) => checkOidc(deps, body));
  serve(app, deps, optionApi.checkUpdate, () => checkUpdate(deps));
  serve(app, deps, optionApi.newerVersion, newerVersionCheck(deps));
}
