import type { OrderDetail } from '@relay-hub/contract';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { type FieldPath, type FieldValues, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Note } from '#ui/feedback/note.tsx';
import { FormMoney } from '#ui/form/form-number.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatPercent } from '#ui/format/number.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { type FormFieldProps, useFormField } from '#ui/form/use-form-field.ts';
import { leftQuota, refundParts, refundsBy } from './refund-rules.ts';
import type { RefundState } from './use-refund-form.ts';

export const refundFormId = 'refund-form';
const longestReason = 80;

interface Props {
  order: OrderDetail;
  refund: RefundState;
}

/** Part or whole, reason, and what follows; its button is in the drawer's footer. */
export function RefundForm({ order, refund: { form, minor, submit } }: Props) {
  const { t } = useTranslation('paymentOrder');
  const { isRoot } = useSession();
  const { control, setValue } = form;
  const [part, quota, writeOff, byHand] = useWatch({ control, name: ['part', 'quota', 'write_off', 'by_hand'] });
  const frame = useRef<HTMLFormElement>(null);
  useEffect(() => {
    frame.current?.scrollIntoView({ block: 'nearest' });
    frame.current?.querySelector<HTMLElement>('input[inputmode], input[type=text]')?.focus();
  }, []);
  const by = refundsBy(order);
  const { username: user, balance, unspent_quota: unspent } = order;
  const left = leftQuota(order);
  const taken = Math.min(quota ?? 0, writeOff ? Math.max(0, balance) : left);
  const choose = (next: (typeof refundParts)[number]) => {
    setValue('part', next);
    setValue('quota', next === 'whole' ? left : null, { shouldDirty: true });
    form.clearErrors('quota');
  };
  return (
    <form
      ref={frame}
      id={refundFormId}
      noValidate
      aria-label={t('refund')}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      className="mt-5 grid grid-cols-1 gap-4 rounded-card border border-line p-4 max-sm:p-3.5"
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-14">{t('refund')}</h3>
        {by !== 'whole' && (
          <Segmented
            label={t('howMuch')}
            value={part}
            options={refundParts.map((value) => ({ value, label: t(`parts.${value}`) }))}
            onChange={choose}
          />
        )}
      </div>
      {by !== 'part' && !byHand && <Note>{t(by === 'whole' ? 'onlyWhole' : isRoot ? 'onlyByHand' : 'onlyRoot')}</Note>}
      <div className="grid grid-cols-[2fr_3fr] items-start gap-4 max-sm:grid-cols-1">
        <FormMoney control={control} name="quota" label={t('creditBack')} disabled={part === 'whole'} />
        <FormText
          control={control}
          name="reason"
          label={t('reason')}
          unit={t('userSees', { user })}
          maxLength={longestReason}
        />
      </div>
      <dl className="grid grid-cols-1 text-13 tabular-nums">
        <Line name={t('unspent')}>
          <TextWithElements
            text={t('unspentOf')}
            parts={{ unspent: <Money credits={unspent} className="text-text" />, left: <Money credits={left} /> }}
          />
        </Line>
        <Line name={t('balanceOf', { user })}>
          <span className="text-text">
            <Money credits={balance} /> → <Money credits={balance - taken} />
          </span>
        </Line>
        <Line name={t('backTo', { gateway: byHand ? user : order.gateway_name })}>
          {minor === undefined ? (
            '–'
          ) : (
            <TextWithElements
              text={t('shareOf', {
                share: formatPercent((quota ?? 0) / order.quota, 1),
                paid: formatMinor(order.order_minor, order.order_currency),
              })}
              parts={{
                amount: <b className="font-title text-text">{formatMinor(minor, order.order_currency)}</b>,
              }}
            />
          )}
        </Line>
      </dl>
      {isRoot && (
        <div className="grid grid-cols-1 gap-2">
          <FormCheckbox control={control} name="write_off" label={t('writeOff')} hint={t('writeOffText')} />
          <FormCheckbox
            control={control}
            name="by_hand"
            label={t('refundedByHand')}
            hint={t('refundedByHandText')}
            disabled={by === 'none'}
          />
          {(writeOff || byHand) && (
            <FormText control={control} name="remark" label={t('remark')} hint={t('remarkHint')} maxLength={255} />
          )}
        </div>
      )}
      <Note>{t(byHand ? 'orderOfHand' : 'orderOfRefund', { gateway: order.gateway_name })}</Note>
    </form>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4">
      <dt className="text-text2">{name}</dt>
      <dd className="text-right text-text2">{children}</dd>
    </div>
  );
}

/** A checkbox with its label at the right and what it means below. */
function FormCheckbox<T extends FieldValues, N extends FieldPath<T>, Out>(props: FormFieldProps<T, N, Out>) {
  const { value, change, blur, shell } = useFormField(props);
  const id = useId();
  return (
    <div className="flex items-start gap-2.5">
      <Checkbox
        id={id}
        className="mt-0.5"
        checked={value === true}
        disabled={props.disabled}
        aria-describedby={`${id}-hint`}
        onChange={change}
        onBlur={blur}
      />
      <div className="min-w-0 text-13">
        <label htmlFor={id}>{shell.label}</label>
        <p id={`${id}-hint`} className="text-12 text-text2">
          {shell.hint}
        </p>
      </div>
    </div>
  );
}
