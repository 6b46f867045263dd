import type { LedgerEntry } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Money } from '#ui/format/money.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useEntryRemark } from '#domain/ledger/use-entry-remark.ts';

interface Props {
  row: LedgerEntry;
}

/** With all decimals by default: a call may cost less than a cent. */
export function EntryAmount({
  row: { credits },
  fixed = true,
  className,
}: Props & { fixed?: boolean; className?: string }) {
  return <Money credits={credits} fixed={fixed} signed className={cx(credits > 0 && 'text-ok', className)} />;
}

const call = /^call:(.+)$/;
/** Charges of a day that became one. */
const calls = /^calls:(\d+):/;

/** Subject of an entry: a call's token with a link to its log row, the number of calls, otherwise the remark. */
export function EntryAbout({ row }: Props) {
  const { t } = useTranslation('ledger');
  const count = calls.exec(row.reference)?.[1];
  const entryRemark = useEntryRemark(row);
  const remark = count === undefined ? entryRemark : t('folded', { count: formatWhole(Number(count)) });
  const tokenName = useTokenName();
  const requestId = call.exec(row.reference)?.[1];
  if (requestId === undefined)
    return (
      <Tooltip text={remark} repeatsName>
        <span className="block min-w-0 truncate">{remark}</span>
      </Tooltip>
    );
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-middle">
      {row.token_name !== '' && <span className="max-w-1/2 flex-none truncate">{tokenName(row.token_name)}</span>}
      <Link
        to="/panel/log"
        search={{ request_id: requestId }}
        className="touch flex min-w-0 font-mono text-12 text-text2 hover:text-accent hover:underline"
      >
        <MiddleCut text={requestId} />
      </Link>
    </span>
  );
}

/** Who caused the entry. Calls are always the owner's, so their cell is empty. */
export function EntryActor({ row: { kind, actor, actor_name: name } }: Props) {
  const { t } = useTranslation('ledger');
  if (kind === 'settle') return null;
  return <span className="text-text2">{actor === 'administrator' && name !== '' ? name : t(`actors.${actor}`)}</span>;
}
