import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSite } from '#api/site.ts';
import { gatewaysQuery } from '#domain/payment/payment-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { formatWhole } from '#ui/format/number.ts';
import type { StepProps } from './first-step-parts.tsx';
import { oneLine, Step } from './first-step.tsx';

/** Names the payment methods, or the redemption code where there are none. */
export function CreditStep({ steps: { credit: done }, number, next }: StepProps) {
  const { t, i18n } = useTranslation('dashboard');
  const site = useSite();
  const { data: gateways, isPending } = useQuery(gatewaysQuery);
  const names = [...new Set(gateways?.map(({ name }) => name))];
  const list = new Intl.ListFormat(i18n.language.replace('_', '-'), { type: 'disjunction' });
  const text =
    names.length > 0
      ? t('steps.credit.text', { least: `$${formatWhole(site?.PaymentMinAmount ?? 1)}`, gateways: list.format(names) })
      : t('steps.credit.textCode');
  return (
    <Step
      {...{ number, next, done }}
      title={t(done ? 'steps.credit.done' : 'steps.credit.todo')}
      text={isPending ? oneLine : text}
      action={
        <Button size="sm" variant={next ? 'primary' : 'default'} render={<Link to="/panel/topup" />}>
          {names.length > 0 || isPending ? t('shared:topUp') : t('steps.credit.redeem')}
        </Button>
      }
    />
  );
}
