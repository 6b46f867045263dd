import type { AuditEntry } from '@relay-hub/contract';
import { useTranslation } from 'react-i18next';
import type { Texts } from '#i18n/texts.ts';

type SettingKey = keyof Texts['settingNames'];
type Verb = keyof Texts['audit']['verbs'];
export type KnownKind = keyof Texts['audit']['kinds'];

export const knownKinds: readonly KnownKind[] = [
  'user',
  'user_group',
  'channel',
  'channel_tag',
  'redemption',
  'option',
  'price',
  'model_owner',
  'log',
  'books',
  'payment',
  'telegram',
];

const isKnown = (kind: string): kind is KnownKind => knownKinds.some((known) => known === kind);

/** What a call does by its method; a path that goes on after the noun and its id says more, unless it is of several. */
function verbOf({ method, path, kind }: AuditEntry): Verb {
  // The books are compared, which makes none.
  if (kind === 'books' || !['', 'batch'].includes(moreOf({ path }))) return 'act';
  if (method === 'POST') return 'create';
  return method === 'DELETE' ? 'remove' : 'update';
}

/** What the path says beside the noun and the id: `manage`, `second_factor`. */
export const moreOf = ({ path }: Pick<AuditEntry, 'path'>): string =>
  path
    .split('/')
    .slice(3)
    .filter((part) => part !== '' && !part.startsWith(':'))
    .join(' ');

interface AuditWords {
  kindOf: (kind: string) => string;
  /** An entry in words: "Change channel". */
  actionOf: (entry: AuditEntry) => string;
  /** Which record it was, as people know it. */
  objectOf: (entry: AuditEntry) => string;
  /** A field of a record: of the settings, which setting. */
  fieldOf: (field: string) => string;
}

/** What people call that which the log has codes for. */
export function useAuditWords(): AuditWords {
  const { t, i18n } = useTranslation(['audit', 'settingNames']);
  const kindOf = (kind: string) => (isKnown(kind) ? t(`kinds.${kind}`) : kind);
  const isSetting = (key: string): key is SettingKey => i18n.exists(key, { ns: 'settingNames' });
  const fieldOf = (field: string) => (isSetting(field) ? t(`settingNames:${field}`) : field);
  const objectOf = (entry: AuditEntry) =>
    entry.kind === 'option' ? entry.object_id.split(',').map(fieldOf).join(t('comma')) : numbered(entry);
  return {
    kindOf,
    actionOf: (entry) => t(`verbs.${verbOf(entry)}`, { kind: kindOf(entry.kind) }),
    objectOf,
    fieldOf,
  };
}

function numbered({ object_name: name, object_id: id }: AuditEntry): string {
  const number = /^\d+$/.test(id) ? `#${id}` : id;
  return name !== '' && name !== id ? `${name} ${number}` : number;
}
