import type { Redemption } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { planList } from '#domain/plan/plan-api.ts';
import { planText } from '#domain/plan/plan-terms.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { Secret } from '#ui/form/secret.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { Time } from '#ui/format/time.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { stateOf } from './redemption-state.ts';
import { useRevealCode } from './use-reveal-code.ts';

interface Props {
  row: Redemption;
}

export function RedemptionName({ row: { id, name, plan_id: planId } }: Props) {
  return (
    <>
      <Tooltip text={name.length > 12 && name}>
        <span className="block truncate leading-4.5">{name}</span>
      </Tooltip>
      <span className="block text-12/4 text-text3 tabular-nums">
        #{id}
        {planId !== null && <PlanName id={planId} />}
      </span>
    </>
  );
}

/** The plan that a code gives, after its number. */
export function PlanName({ id }: { id: number }) {
  const { data } = useQuery(planList);
  const plan = data?.find((each) => each.id === id);
  return plan && <span className="text-text2"> · {planText(plan.names)}</span>;
}

export function RedemptionCode({ row }: Props) {
  const { t } = useTranslation('redemption');
  const reveal = useRevealCode();
  return <Secret masked={row.key} load={() => reveal(row.id)} name={t('codeOf', { name: row.name })} />;
}

export function RedemptionStatus({ row }: Props) {
  const { t } = useTranslation('redemption');
  const state = stateOf(row, useNow(30));
  const [before, after] = t('expiresOn').split('{date}');
  const until = state === 'unredeemed' && row.expired_time > 0 && (
    <>
      {before}
      <Time at={row.expired_time} as="date" />
      {after}
    </>
  );
  return <Status kind={state} detail={until || undefined} />;
}
