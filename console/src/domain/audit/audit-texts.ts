import type { AuditEntry } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Texts } from '#i18n/texts.ts';

type SettingKey = keyof Texts['settingNames'];
type Verb = keyof Texts['audit']['verbs'];
type OwnAct = keyof Texts['audit']['own'];
export type KnownKind = keyof Texts['audit']['kinds'];

export const knownKinds: readonly KnownKind[] = [
  'user',
  'user_group',
  'team',
  'scim',
  'scim_group',
  'block',
  'virtual_model',
  'guard',
  'announcement',
  'channel',
  'channel_tag',
  'redemption',
  'plan',
  'subscription',
  'option',
  'price',
  'model_owner',
  'log',
  'books',
  'what_if',
  'bill',
  'bill_source',
  'usage_export',
  'reply_cache',
  'backup',
  'payment_gateway',
  'order',
  'refund',
  'telegram',
  'token',
];

/** Calls that do not follow the noun and verb pattern: administrators' own accounts, and reconciliation. */
const ownActs: Record<string, OwnAct> = {
  'PUT /api/user/self': 'profile',
  'POST /api/user/token': 'accessToken',
  'GET /api/user/token': 'accessToken',
  'DELETE /api/user/token': 'accessTokenGone',
  'PUT /api/user/token/scope': 'accessTokenScope',
  'POST /api/user/self/access_keys': 'accessKey',
  'PUT /api/user/self/access_keys/:id': 'accessKeyEdit',
  'POST /api/user/self/access_keys/:id/rotate': 'accessKeyAgain',
  'DELETE /api/user/self/access_keys/:id': 'accessKeyGone',
  'POST /api/user/self/totp': 'totp',
  'DELETE /api/user/self/totp': 'totpGone',
  'POST /api/user/self/totp/recovery': 'recovery',
  'POST /api/user/self/passkeys': 'passkey',
  'PUT /api/user/self/passkeys/:id': 'passkeyName',
  'DELETE /api/user/self/passkeys/:id': 'passkeyGone',
  'POST /api/oauth/email/bind': 'email',
  'GET /api/oauth/email/bind': 'email',
  'GET /api/oauth/github': 'bind',
  'GET /api/oauth/lark': 'bind',
  'GET /api/oauth/oidc': 'bind',
  'GET /api/oauth/wechat/bind': 'bind',
  'POST /api/oauth/telegram/code': 'bind',
  'DELETE /api/user/identities/:provider': 'unbind',
  'POST /api/user/unbind': 'unbind',
  'DELETE /api/user/sessions/:id': 'session',
  'DELETE /api/user/sessions': 'sessions',
  'POST /api/user/topup': 'topup',
  'POST /api/token/:id/reveal': 'reveal',
  'POST /api/books': 'books',
  'DELETE /api/reply_cache': 'replyCache',
  'POST /api/log/:id/content': 'logContent',
  'POST /api/backup': 'backup',
  'POST /api/backup/:id/link': 'backupLink',
  'DELETE /api/backup/:id': 'backupRemove',
  'PUT /api/payment/sort': 'gatewaySort',
  'POST /api/payment/order/:id/refund': 'orderRefund',
  'POST /api/payment/order/:id/complete': 'orderComplete',
  'POST /api/payment/order/:id/query': 'orderAsk',
  'POST /api/payment/order/:id/dismiss': 'orderDismiss',
  'POST /api/payment/refund/:id/query': 'refundAsk',
  'POST /api/payment/refund/:id/settle': 'refundSettle',
  'POST /api/user/quota/:id': 'balance',
  'PUT /api/user/:id/limits': 'limits',
  'PUT /api/team/:id/limits': 'limits',
  'POST /api/team/:id/invites': 'teamInvite',
  'DELETE /api/team/:id/invites/:invite': 'teamInviteGone',
  'POST /api/team/invite/answer': 'teamAnswer',
  'PUT /api/team/:id/members/:user': 'teamMember',
  'DELETE /api/team/:id/members/:user': 'teamMemberGone',
  'POST /api/team/:id/owner': 'teamOffer',
  'POST /api/team/:id/owner/accept': 'teamAccept',
  'PUT /api/team/all/:id/owner': 'teamOwner',
  'POST /api/team/:id/tokens/:token/holder': 'teamToken',
  'POST /api/team/:id/credits': 'teamCredits',
  'PUT /api/team/all/:id': 'teamManage',
  'POST /api/user/order': 'ownOrder',
  'POST /api/user/order/:trade_no/check': 'ownOrderCheck',
  'POST /api/user/order/:trade_no/cancel': 'ownOrderCancel',
};

const ownActOf = ({ method, path }: Pick<AuditEntry, 'method' | 'path'>): OwnAct | undefined =>
  ownActs[`${method} ${path}`];

const isKnown = (kind: string): kind is KnownKind => knownKinds.some((known) => known === kind);

/** Last parts of paths that are verbs. */
const namedActs = ['rotate', 'unfreeze', 'test', 'transfer', 'restore', 'reveal', 'undo', 'cancel'] as const;

const namedActOf = ({ path }: Pick<AuditEntry, 'path'>) => {
  const last = restOf({ path }).split(' ').at(-1);
  return namedActs.find((act) => act === last);
};

/** The verb for a call's method. A path that continues after noun and id is more specific, unless it is a batch. */
function verbOf({ method, path }: Pick<AuditEntry, 'method' | 'path'>): Verb {
  const named = namedActOf({ path });
  if (named) return named;
  if (!['', 'batch'].includes(restOf({ path }))) return 'act';
  if (method === 'POST') return 'create';
  return method === 'DELETE' ? 'remove' : 'update';
}

/** Path segment that no action text covers, such as `manage` or `second_factor`; empty if there is none. */
export const moreOf = (entry: Pick<AuditEntry, 'method' | 'path'>): string =>
  (ownActOf(entry) ?? namedActOf(entry)) ? '' : restOf(entry);

const restOf = ({ path }: Pick<AuditEntry, 'path'>): string =>
  path
    .split('/')
    .slice(3)
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join(' ');

/** The part of an entry that names its action. */
type AuditAct = Pick<AuditEntry, 'method' | 'path' | 'kind'>;

interface AuditTexts {
  kindOf: (kind: string) => string;
  /** An entry's action: "Change channel". */
  actionOf: (entry: AuditAct) => string;
  /** An entry's record, by its familiar name. */
  objectOf: (entry: AuditEntry) => string;
  /** A record's field; for settings, the setting. */
  fieldOf: (field: string) => string;
}

export function useAuditTexts(): AuditTexts {
  const { t, i18n } = useTranslation(['audit', 'settingNames']);
  const kindOf = (kind: string) => (isKnown(kind) ? t(`kinds.${kind}`) : kind);
  const isSetting = (key: string): key is SettingKey => i18n.exists('settingNames', key);
  const fieldOf = (field: string) => (isSetting(field) ? t(`settingNames:${field}`) : field);
  const objectOf = (entry: AuditEntry) =>
    entry.kind === 'option' ? entry.object_id.split(',').map(fieldOf).join(t('comma')) : numbered(entry);
  return {
    kindOf,
    actionOf: (entry) => {
      const own = ownActOf(entry);
      return own ? t(`own.${own}`) : t(`verbs.${verbOf(entry)}`, { kind: kindOf(entry.kind) });
    },
    objectOf,
    fieldOf,
  };
}

function numbered({ object_name: name, object_id: id }: AuditEntry): string {
  const number = /^\d+$/.test(id) ? `#${id}` : id;
  return name !== '' && name !== id ? `${name} ${number}` : number;
}
