import { priceUpdateApi, type PricePreview, type PriceUpdateMode, type PriceUpdateSource } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import type { Translate } from '#i18n/t.ts';
import { Download, FileJson2 } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { choiceOf, leftAtFirst, type UpdateCounts } from './update-choice.ts';
import { UpdatePreview } from './update-preview.tsx';
import { UpdateSource, type From } from './update-source.tsx';
import type { PriceActions } from '#screens/panel/pricing/use-price-actions.ts';

interface Props {
  actions: PriceActions;
  onClose: () => void;
}

/** Updates prices from a list: source, preview, selection. */
export function UpdateDialog({ actions, onClose }: Props) {
  const { t } = useTranslation('pricing');
  const id = useId();
  const look = useRef<HTMLButtonElement>(null);
  const [from, setFrom] = useState<From>('built_in');
  const [source, setSource] = useState<PriceUpdateSource>();
  const [mode, setMode] = useState<PriceUpdateMode>('add');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const fetching = useMutation({
    mutationFn: (chosen: PriceUpdateSource) => call(priceUpdateApi.preview, { body: chosen }),
    // The source step shows the error.
    meta: { quiet: true },
    onSuccess: (found, chosen) => {
      setSource(chosen);
      setLeft(leftAtFirst(found));
    },
  });
  const preview = fetching.data;
  const applying = useMutation({
    mutationFn: (found: PricePreview) => call(priceUpdateApi.apply, { body: choiceOf(found, mode, left).body }),
  });
  const apply = (found: PricePreview, close: () => void) =>
    applying.mutate(found, {
      onSuccess: (change) => {
        actions.told(change, t('updated'));
        close();
      },
    });
  const counts = preview && choiceOf(preview, mode, left).counts;
  return (
    <Dialog
      title={t('updateTitle')}
      text={preview ? undefined : t('updateText')}
      width={preview ? 900 : 600}
      initialFocus={look}
      onClose={onClose}
      footer={(close) => (
        <>
          {counts && (
            <span
              role="status"
              className={cx('mr-auto text-13 max-sm:w-full', counts.refused > 0 ? 'text-bad' : 'text-text2')}
            >
              {counts.refused > 0 ? t('refusedThen', { count: counts.refused }) : counts.total > 0 && t('undoText')}
            </span>
          )}
          <Button variant="ghost" onClick={close}>
            {t('cancel')}
          </Button>
          {!preview && (
            <Button
              ref={look}
              type="submit"
              form={id}
              variant="primary"
              icon={from === 'list' ? FileJson2 : Download}
              busy={fetching.isPending}
            >
              {t(from === 'list' ? 'chooseFile' : 'look')}
            </Button>
          )}
          {preview && counts && (
            <Button
              variant={counts.refused > 0 ? 'danger' : 'primary'}
              disabled={counts.total === 0}
              busy={applying.isPending}
              onClick={() => apply(preview, close)}
            >
              {effectOf(counts, t)}
            </Button>
          )}
        </>
      )}
    >
      {preview && source ? (
        <UpdatePreview
          preview={preview}
          mode={mode}
          onMode={setMode}
          left={left}
          onLeft={setLeft}
          busy={fetching.isPending}
          onAgain={() => fetching.mutate(source)}
          onOther={() => fetching.reset()}
        />
      ) : (
        <UpdateSource
          id={id}
          from={from}
          onFrom={setFrom}
          error={fetching.error}
          onChoose={(chosen) => fetching.mutate(chosen)}
        />
      )}
    </Dialog>
  );
}

/** Label of the button: "Change 12, add 3, drop 1". */
function effectOf(counts: UpdateCounts, t: Translate<'pricing'>): string {
  const parts = (['changed', 'added', 'dropped'] as const)
    .filter((what) => counts[what] > 0)
    .map((what) => t(`does.${what}`, { total: formatWhole(counts[what]) }));
  const text = parts.join(t('listSeparator')) || t('nothingToDo');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
