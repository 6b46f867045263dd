import type { UserGroupRow } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';

interface Props {
  group: UserGroupRow;
}

/** Name, with the symbol below that other records use. */
export function GroupName({ group }: Props) {
  const { name, symbol } = useNamedGroup()(group);
  return (
    <span className="grid min-w-0 leading-4.5">
      <MiddleCut text={name} />
      <span className="truncate font-mono text-12/4 text-text2">{symbol}</span>
    </span>
  );
}

export const ratioText = (ratio: number): string => `× ${formatPlain(ratio)}`;

/** Rate from which the limiter is a token bucket. */
const bucketFrom = 60;

export function GroupRate({ group: { api_rate: rate } }: Props) {
  const { t } = useTranslation('userGroup');
  return (
    <span className="inline-flex flex-col items-end align-middle leading-4.5 tabular-nums">
      {formatWhole(rate)}
      <span className="text-12/4 text-text2">{t(rate < bucketFrom ? 'counter' : 'bucket')}</span>
    </span>
  );
}

export function GroupPick({ group }: Props) {
  const { t } = useTranslation('userGroup');
  return group.public ? <span>{t('public')}</span> : <span className="text-text2">{t('byHand')}</span>;
}
