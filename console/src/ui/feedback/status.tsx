import {
  ArchiveRestore,
  Ban,
  CircleCheck,
  CircleHelp,
  CircleMinus,
  Clock3,
  Hourglass,
  Inbox,
  RefreshCw,
  Snowflake,
  TriangleAlert,
  Undo2,
  Wallet,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon, type IconShape } from '#ui/basic/icon.tsx';

const looks = {
  enabled: [CircleCheck, 'text-ok', 'statusEnabled'],
  disabled: [CircleMinus, 'text-text2', 'statusDisabled'],
  testDisabled: [TriangleAlert, 'text-bad', 'statusTestDisabled'],
  frozen: [Snowflake, 'text-ice', 'statusFrozen'],
  rotating: [RefreshCw, 'text-warn', 'statusRotating'],
  failing: [TriangleAlert, 'text-bad', 'statusFailing'],
  doubtful: [TriangleAlert, 'text-warn', 'statusFailing'],
  slow: [Clock3, 'text-warn', 'statusSlow'],
  expired: [Clock3, 'text-text2', 'statusExpired'],
  exhausted: [Wallet, 'text-warn', 'statusExhausted'],
  unredeemed: [Inbox, 'text-text2', 'statusUnredeemed'],
  redeemed: [CircleCheck, 'text-ok', 'statusRedeemed'],
  pending: [Clock3, 'text-warn', 'statusPending'],
  paid: [CircleCheck, 'text-ok', 'statusPaid'],
  closed: [CircleMinus, 'text-text2', 'statusClosed'],
  refunded: [Undo2, 'text-text2', 'statusRefunded'],
  queued: [Hourglass, 'text-text2', 'statusQueued'],
  running: [RefreshCw, 'text-text2', 'statusRunning'],
  done: [CircleCheck, 'text-ok', 'statusDone'],
  answered: [CircleCheck, 'text-ok', 'statusAnswered'],
  client_gone: [Undo2, 'text-text2', 'statusClientGone'],
  broken: [TriangleAlert, 'text-warn', 'statusBroken'],
  failed: [TriangleAlert, 'text-bad', 'statusFailed'],
  refused: [Ban, 'text-warn', 'statusRefused'],
  released: [ArchiveRestore, 'text-text2', 'statusReleased'],
  online: [CircleCheck, 'text-ok', 'statusOnline'],
  offline: [CircleMinus, 'text-text2', 'statusOffline'],
  unknown: [CircleHelp, 'text-text2', 'statusUnknown'],
} as const satisfies Record<string, readonly [IconShape, string, string]>;

export type StatusKind = keyof typeof looks;

interface Props {
  kind: StatusKind;
  /** Replaces the usual text, e.g. "504 timeout". */
  text?: ReactNode;
  /** Right after the text, e.g. a countdown. */
  note?: ReactNode;
  /** A second, quieter line. */
  detail?: ReactNode;
}

/** A state as icon, word and colour. */
export function Status({ kind, text, note, detail }: Props) {
  const { t } = useTranslation('shared');
  const [icon, tone, word] = looks[kind];
  return (
    <span className="inline-flex max-w-full min-w-0 flex-col align-middle">
      <span className={cx('inline-flex min-w-0 items-center gap-1.5 text-13 whitespace-nowrap', tone)}>
        <Icon of={icon} />
        <span className="truncate">{text ?? t(word)}</span>
        {note !== undefined && <span className="tabular-nums">{note}</span>}
      </span>
      {detail !== undefined && <span className="truncate pl-5.5 text-12 text-text2">{detail}</span>}
    </span>
  );
}
