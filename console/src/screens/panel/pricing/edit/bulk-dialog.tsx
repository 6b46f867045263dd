import { callPriceText, priceStep, priceText } from '@relay-hub/contract';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useOwners } from '#api/owners.ts';
import { Button } from '#ui/basic/button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { Field } from '#ui/form/field.tsx';
import { NumberBox } from '#ui/form/number-box.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Select } from '#ui/form/select.tsx';
import { Note } from '#ui/feedback/note.tsx';
import type { PriceBulkAct } from './price-bulk.tsx';
import { multiplied } from './price-values.ts';
import { unitOf } from '#screens/panel/pricing/pricing-search.ts';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

type Props = PriceBulkAct & { actions: PriceActions; onClose: () => void };

/** Confirmations for changes to several prices. */
export function BulkDialog(props: Props) {
  return props.act === 'owner' ? <OwnerDialog {...props} /> : <MultiplyDialog {...props} />;
}

const unit = unitOf('USD1M');

function MultiplyDialog({ prices, onDone, actions, onClose }: Props) {
  const { t } = useTranslation('pricing');
  const [factor, setFactor] = useState<number | null>(1.1);
  const valid = factor !== null && factor >= 0 && factor <= 1000 && factor !== 1;
  const [first] = prices;
  const after = first && valid ? multiplied(first, factor) : undefined;
  const text = (ratio: number) =>
    (first?.type === 'times' ? callPriceText([ratio], unit.currency) : priceText([ratio], unit)) ?? t('free');
  const jumps = first && after && priceStep(first, after).jumps.length > 0;
  const apply = async (close: () => void) => {
    if (!valid) return;
    await actions.set(prices.map((price) => multiplied(price, factor)));
    onDone();
    close();
  };
  return (
    <Dialog
      title={t('multiplyTitle', { count: prices.length })}
      text={t('multiplyText')}
      width={400}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button
            variant="primary"
            disabled={!valid}
            busy={actions.busy}
            onClick={() => void apply(close).catch(ignore)}
          >
            {t('multiplyDo', { count: prices.length })}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-3">
        <Field
          label={t('factor')}
          error={factor !== null && (factor < 0 || factor > 1000) ? t('factorWrong') : undefined}
        >
          {(aria) => (
            <NumberBox
              aria={aria}
              inputRef={noRef}
              value={factor}
              onChange={setFactor}
              onBlur={noBlur}
              before="×"
              left
            />
          )}
        </Field>
        {after && (
          <p className="text-13 text-text2 tabular-nums">
            {first?.model}: {text(first?.input ?? 0)} → {text(after.input)}
          </p>
        )}
        {jumps && <Note tone="warn">{t('jump')}</Note>}
      </div>
    </Dialog>
  );
}

function OwnerDialog({ prices, onDone, actions, onClose }: Props) {
  const { t } = useTranslation('pricing');
  const owners = useOwners();
  const [owner, setOwner] = useState<number | null>(null);
  const apply = async (close: () => void) => {
    if (owner === null) return;
    await actions.set(prices.map((price) => ({ ...price, channel_type: owner })));
    onDone();
    close();
  };
  return (
    <Dialog
      title={t('ownerTitle', { count: prices.length })}
      width={400}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button
            variant="primary"
            disabled={owner === null}
            busy={actions.busy}
            onClick={() => void apply(close).catch(ignore)}
          >
            {t('setOwner')}
          </Button>
        </>
      )}
    >
      <Field label={t('owner')}>
        {(aria) => (
          <Select
            aria={aria}
            value={owner}
            searchable
            options={owners.map(({ id, name, icon }) => ({
              value: id,
              label: name,
              tile: <OwnerTile name={name} icon={icon} size={20} />,
            }))}
            onChange={setOwner}
          />
        )}
      </Field>
    </Dialog>
  );
}

const noRef = () => undefined;
const noBlur = () => undefined;
/** The failed request has shown its error; the dialog stays open. */
const ignore = () => undefined;
