import { LONGEST_OVERLAP_S, tokenApi, type Token } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call, type CallInput } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Field } from '#ui/form/field.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { formatDate, formatTimeOfDay } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { Dialog } from '#ui/overlay/dialog.tsx';
import type { TokenExample } from '#screens/panel/token/connect/example-dialog.tsx';
import { hasOldKey } from '../token-state.ts';

interface Props {
  token: Token;
  /** Called with the token and its new key. */
  onRotated: (example: TokenExample) => void;
  onClose: () => void;
}

const overlaps = ['now', 'hour', 'day', 'week', 'until'] as const;
type Overlap = (typeof overlaps)[number];

const secondsOf = { now: 0, hour: 3600, day: 86_400, week: 7 * 86_400 };

/** Gives a token a new key; the old one keeps working for a chosen time. */
export function RotateDialog({ token, onRotated, onClose }: Props) {
  const { t } = useTranslation('token');
  const client = useQueryClient();
  const [overlap, setOverlap] = useState<Overlap>('day');
  const [until, setUntil] = useState(() => Math.floor(Date.now() / 1000) + secondsOf.week);
  const choice = useRef<HTMLDivElement>(null);
  const now = useNow(1);
  const inBounds = until > now && until <= now + LONGEST_OVERLAP_S;
  const rotate = useMutation({
    mutationFn: (body: NonNullable<CallInput<typeof tokenApi.rotate>['body']>) =>
      call(tokenApi.rotate, { params: { id: token.id }, body }),
    onSuccess: (rotated) => {
      onRotated(rotated);
      void refresh(client, tokenApi.list, tokenApi.get);
    },
    // The answer holds a key.
    gcTime: 0,
  });
  const submit = (close: () => void) => {
    const body = overlap === 'until' ? { old_key_until: until } : { old_key_seconds: secondsOf[overlap] };
    rotate.mutate(body, { onSuccess: close });
  };
  const wrong = overlap === 'until' && !inBounds;
  return (
    <Dialog
      title={t('rotateTitle', { name: token.name })}
      text={t('rotateText')}
      icon={RefreshCw}
      iconTone="text-text2"
      initialFocus={() => choice.current?.querySelector<HTMLElement>('input:checked')}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button disabled={rotate.isPending} onClick={close}>
            {t('cancel')}
          </Button>
          <Button variant="primary" busy={rotate.isPending} disabled={wrong} onClick={() => submit(close)}>
            {t('rotateAction')}
          </Button>
        </>
      )}
    >
      <div className="grid grid-cols-1 gap-4">
        <div ref={choice} className="grid grid-cols-1 gap-1.5">
          <p className="text-13 font-title">{t('oldKeyWorks')}</p>
          <Segmented
            label={t('oldKeyWorks')}
            value={overlap}
            options={overlaps.map((value) => ({ value, label: t(`overlaps.${value}`) }))}
            onChange={setOverlap}
          />
        </div>
        {overlap === 'until' && (
          <Field label={t('oldKeyUntil')} hint={t('oldKeyBounds')} error={wrong ? t('oldKeyBounds') : undefined}>
            {(aria) => (
              <input
                {...aria}
                type="datetime-local"
                className="box"
                value={Number.isFinite(until) ? localMoment(until) : ''}
                onChange={(event) => setUntil(Math.floor(new Date(event.target.value).getTime() / 1000))}
              />
            )}
          </Field>
        )}
        {overlap === 'now' ? <Note tone="warn">{t('rotateNow')}</Note> : <Note>{t('rotateBoth')}</Note>}
        {token.old_key && hasOldKey(token, now) && (
          <Note tone="warn">
            <TextWithElements
              text={t('rotateEndsOlder', { key: token.old_key.key })}
              parts={{ time: <Time at={token.old_key.valid_until} /> }}
            />
          </Note>
        )}
      </div>
    </Dialog>
  );
}

/** Format of `<input type="datetime-local">`. */
const localMoment = (seconds: number): string => `${formatDate(seconds)}T${formatTimeOfDay(seconds).slice(0, 5)}`;
