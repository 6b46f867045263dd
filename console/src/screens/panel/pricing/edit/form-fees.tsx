import { feeEvents } from '@relay-hub/contract';
import { X } from 'lucide-react';
import { useFieldArray, useFormState, useWatch } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Field, FieldBelow } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { useFieldMessage } from '#ui/form/use-field-message.ts';
import { useFormField } from '#ui/form/use-form-field.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import { AddMenu } from '#ui/overlay/add-menu.tsx';
import { amountOf, newFee, ratioOf, type PriceFormMethods } from './price-values.ts';
import { unitOf } from '#screens/panel/pricing/pricing-search.ts';

const columns =
  'grid grid-cols-[minmax(0,1fr)_92px_auto_136px_108px_34px] items-start gap-2 max-sm:grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)]';

/** Fees per event: ratio, dollars per 1,000, and how many a call may reserve for. */
export function FormFees({ form: { control } }: { form: PriceFormMethods }) {
  const { t } = useTranslation(['priceEdit', 'priceRule']);
  const message = useFieldMessage();
  const { fields, append, remove } = useFieldArray({ control, name: 'fees' });
  const { errors } = useFormState({ control, name: 'fees' });
  const problem = message(errors.fees?.root?.message ?? errors.fees?.message);
  const left = feeEvents.filter((event) => !fields.some((fee) => fee.event === event));
  return (
    <DrawerSection title={t('feesTitle')} text={fields.length === 0 ? t('noFees') : t('feesText')}>
      {fields.length > 0 && (
        <div className="grid grid-cols-1 gap-2 max-sm:gap-3.5">
          {fields.map(({ id, event }, at) => (
            <Fee key={id} control={control} at={at} name={t(`priceRule:events.${event}`)} onRemove={() => remove(at)} />
          ))}
          <FieldBelow id="fees-below" hint={t('mostHint')} error={problem} />
        </div>
      )}
      {left.length > 0 && (
        <AddMenu
          label={t('addFee')}
          entries={() =>
            left.map((event) => ({
              label: t(`priceRule:events.${event}`),
              onSelect: () => append(newFee(event), { focusName: `fees.${fields.length}.fee` }),
            }))
          }
        />
      )}
    </DrawerSection>
  );
}

interface FeeProps {
  control: PriceFormMethods['control'];
  at: number;
  /** The event. */
  name: string;
  onRemove: () => void;
}

/** A fee is priced per 1,000 events, which has the amount of a ratio per 1M tokens. */
const unit = unitOf('USD1M');

function Fee({ control, at, name, onRemove }: FeeProps) {
  const { t } = useTranslation('priceEdit');
  const fee = useFormField({ control, name: `fees.${at}.fee`, label: t('feeOf', { event: name }) });
  const most = useFormField({ control, name: `fees.${at}.most`, label: t('mostOf', { event: name }) });
  const event = useWatch({ control, name: `fees.${at}.event` });
  const ratio = typeof fee.value === 'number' ? fee.value : null;
  return (
    <div className={columns} data-fee={event}>
      <span className="pt-2 text-13 first-letter:uppercase max-sm:col-span-2">{name}</span>
      <div className="max-sm:order-1">
        <Field {...fee.shell} hideLabel>
          {(aria) => (
            <NumberBox
              aria={aria}
              inputRef={fee.ref}
              value={ratio}
              onChange={fee.change}
              onBlur={fee.blur}
              after="×"
              left
            />
          )}
        </Field>
      </div>
      <span aria-hidden className="pt-2 text-text3 max-sm:order-1">
        =
      </span>
      <div className="max-sm:order-1">
        <NumberBox
          aria={{
            id: `fee-${at}-money`,
            'aria-label': t('feeMoney', { event: name }),
            'aria-describedby': undefined,
            'aria-invalid': undefined,
          }}
          inputRef={noRef}
          value={ratio === null ? null : amountOf(ratio, unit)}
          onChange={(amount) => fee.change(amount === null ? null : ratioOf(amount, unit))}
          onBlur={fee.blur}
          before="$"
          after={t('per1000')}
          left
        />
      </div>
      <div className="max-sm:order-1 max-sm:col-span-3">
        <Field {...most.shell} hideLabel>
          {(aria) => (
            <NumberBox
              aria={aria}
              inputRef={most.ref}
              value={typeof most.value === 'number' ? most.value : null}
              onChange={most.change}
              onBlur={most.blur}
              before={t('most')}
              whole
            />
          )}
        </Field>
      </div>
      <IconButton label={t('removeFee', { name })} icon={X} className="max-sm:justify-self-end" onClick={onRemove} />
    </div>
  );
}

const noRef = () => undefined;
