/** Kinds of records, in the order in which they are imported. */
export const importKinds = [
  'group',
  'user',
  'passkey',
  'token',
  'channel',
  'price',
  'option',
  'code',
  'gateway',
  'order',
  'task',
  'log',
] as const;
export type ImportKind = (typeof importKinds)[number];

/** Result for a record. `left`: changed on both sides, so it stays unchanged here. */
export type Outcome = 'added' | 'same' | 'changed' | 'left' | 'lost';

/** Everything that an operator should know, by topic. Texts never contain secrets. */
export const topics = {
  lost: 'cannot be taken over',
  left: 'changed on both sides; left as it is here',
  gone: 'no longer in the old database; switched off here',
  renamed: 'the name is taken here; came under another name',
  privileged: 'administrators there; they do not come, with keys and balances, without --administrators',
  option_guarded:
    'settings that decide who gets in, what new users get, where requests go or what pages show; they do not come without --security-settings',
  key_stops: 'calls with these keys will be refused here',
  merged: 'the super administrator of this name is the same here; password, role and group stay those of here',
  look_alike: 'the name looks like that of another account',
  no_password: 'has no password; signs in through an external account or a reset by mail',
  role: 'the role or status has no counterpart',
  email: 'the address belongs to several accounts; only the first keeps it',
  email_lost: 'the address is not valid; it was left out',
  inviter: 'invitation reward that was not moved to the balance; not taken over',
  identity: 'external account that cannot be bound; its owner binds it again',
  oidc: 'bound at the first OpenID Connect sign-in with this user name',
  passkey: 'passkeys come, and sign in only while the address of the site stays',
  passkey_lost: 'passkeys that cannot come; their owners add them again',
  second_factor_lost: 'two-step verification whose seed cannot be read; the owner sets it up again',
  second_factor: 'two-step verification comes, recovery codes do not; the owner makes new ones',
  negative: 'the balance was below zero; it is zero here',
  below_zero: 'more was spent there than is left here; the balance is zero now',
  huge: 'the balance is above a million dollars',
  weak_key: 'the key is shorter than 16 characters',
  group_forbidden: 'the group of the token is private and not its owner’s; calls are refused',
  auto_group: 'the token tried several groups; it uses its owner’s group now',
  restriction: 'restriction of the token, now its limits',
  restriction_lost: 'restriction of the token is not valid here; the token is disabled',
  group_name: 'the group got a new symbol',
  group_made: 'the group had no settings; created with ratio 1',
  subscription: 'a running subscription is not part of the balance',
  channel_type: 'the type of the channel changes',
  channel_off: 'switched off, because it would not work here',
  channel_field: 'a setting of the channel is dropped, so its calls change',
  channel_key: 'a key of the channel is switched off or was dropped',
  model_name: 'a model name that cannot be used',
  priority: 'negative priorities; all priorities were raised by the same amount',
  price_compiled: 'never saved there, so its values are compiled into the old program; press Save there, and run again',
  price_differs: 'charges would differ',
  price_own: 'the price here was entered by hand and differs; it stays',
  unpriced: 'has traffic or a channel, but no price; calls are refused until it has one',
  price_repeated: 'the model has several prices; the first one counts',
  option_here: 'the setting is already set here; it stays',
  option_lost: 'the setting has no counterpart or an invalid value',
  option_default: 'the old default differs from ours and was kept',
  access_token: 'access token not taken over; use --access-tokens',
  code_twice: 'the code was redeemed there and here',
  code_long: 'the name of the code was cut',
  gateway_off:
    'payment gateway, switched off here; test its keys, enter its notification address at the provider where that is fixed, then enable it',
  gateway_field: 'a setting of the payment gateway has no counterpart or is not complete',
  order_open: 'the order waits for its payment; it comes with a later run once it is paid or closed there',
  order_closed:
    'the order waited for its payment at the last run; it is closed here, and a late payment is credited here',
  order_unknown: 'the order has no counterpart',
  task_open: 'unfinished task; it ends at the old side only, so wait for it before the last run',
  task_unknown: 'the task has no counterpart',
  unknown_table: 'a table that this import does not know',
  note: 'note',
} as const;
export type Topic = keyof typeof topics;

/** Topics that need a decision or an action before the switch. */
export const urgentTopics: ReadonlySet<Topic> = new Set<Topic>([
  'privileged',
  'option_guarded',
  'key_stops',
  'merged',
  'second_factor_lost',
  'channel_field',
  'lost',
  'left',
  'renamed',
  'negative',
  'below_zero',
  'group_forbidden',
  'restriction',
  'restriction_lost',
  'channel_off',
  'price_compiled',
  'price_differs',
  'unpriced',
  'passkey_lost',
  'gateway_off',
  'order_open',
  'order_closed',
  'task_open',
  'code_twice',
  'subscription',
]);

/** Parts of the report with a heading, in their order. Their lists are complete. */
const sections: readonly (readonly [heading: string, ...Topic[]])[] = [
  ['Needs a decision', 'privileged', 'option_guarded'],
  ['Keys that will stop working', 'key_stops'],
];
const complete = new Set<Topic>(sections.flatMap(([, ...of]) => of));

const MOST_EXAMPLES = 20;
const LONGEST_TEXT = 500;

type Counts = Record<Outcome, number>;

/** Counts and remarks of one run. */
export class Report {
  readonly counts = new Map<ImportKind, Counts>();
  readonly remarks = new Map<Topic, { count: number; examples: string[] }>();
  /** Credits that enter the ledger: openings, differences and corrections. */
  credits = 0;

  count(kind: ImportKind, outcome: Outcome, by = 1): void {
    const counts = this.counts.get(kind) ?? { added: 0, same: 0, changed: 0, left: 0, lost: 0 };
    counts[outcome] += by;
    this.counts.set(kind, counts);
  }

  remark(topic: Topic, text: string): void {
    const found = this.remarks.get(topic) ?? { count: 0, examples: [] };
    found.count++;
    if (found.examples.length < MOST_EXAMPLES || complete.has(topic)) found.examples.push(printable(text));
    this.remarks.set(topic, found);
  }

  /** Whether nothing was or would be written. */
  get isIdle(): boolean {
    return [...this.counts.values()].every(({ added, changed }) => added + changed === 0);
  }

  lines(): string[] {
    const lines = [...this.counts].map(([kind, { added, same, changed, left, lost }]) => {
      const parts = [`${added} new`, `${changed} changed`, `${same} unchanged`, `${left} left`, `${lost} lost`];
      return `  ${kind.padEnd(9)}${parts.filter((part) => !part.startsWith('0 ')).join(', ') || 'none'}`;
    });
    for (const [heading, ...of] of sections) {
      const listed = of.flatMap((topic) => this.#linesOf(topic));
      if (listed.length > 0) lines.push('', heading, ...listed);
    }
    const isUrgent = (topic: Topic): number => Number(!urgentTopics.has(topic));
    const others = [...this.remarks.keys()].filter((topic) => !complete.has(topic));
    const listed = others.toSorted((a, b) => isUrgent(a) - isUrgent(b)).flatMap((topic) => this.#linesOf(topic));
    return [...lines, ...listed];
  }

  #linesOf(topic: Topic): string[] {
    const found = this.remarks.get(topic);
    if (!found) return [];
    const { count, examples } = found;
    const more = count > examples.length ? [`    … and ${count - examples.length} more`] : [];
    const heading = `${urgentTopics.has(topic) ? '! ' : ''}${topics[topic]} (${count})`;
    return ['', heading, ...examples.map((example) => `    ${example}`), ...more];
  }
}

/** A line for a terminal, whatever the old database has: control characters as their code. */
function printable(text: string): string {
  const line = text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  );
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT)}…` : line;
}
