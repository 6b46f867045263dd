import { useQuery } from '@tanstack/react-query';
import { CircleCheck, Undo2, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { languageTag } from '#i18n/i18n.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { formatAge } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import { ChangeCounts } from './change-counts.tsx';
import { lastUpdate } from '#screens/panel/pricing/pricing-api.ts';

/** How long an update is announced. */
const newsSeconds = 24 * 3600;

interface Props {
  onShow: (id: number) => void;
  onUndo: (id: number) => void;
  busy: boolean;
}

/** Result of the last price update with Undo; hidden after a day, an undo, or when closed. */
export function LastUpdate({ onShow, onUndo, busy }: Props) {
  const { t } = useTranslation('pricing');
  const update = useQuery(lastUpdate).data?.data[0];
  const now = useNow(60);
  const [closed, setClosed] = useState(0);
  if (!update || update.undone || update.id === closed || now - update.created_time > newsSeconds) return null;
  return (
    <div className="mb-3 flex min-h-10 flex-wrap items-center gap-x-2.5 gap-y-1 rounded-control bg-ok-soft py-1 pr-1.5 pl-3 text-13 text-ok max-sm:py-2">
      <Icon of={CircleCheck} />
      <span className="min-w-0 flex-1 max-sm:basis-[calc(100%-32px)]">
        <b className="font-title">
          {t('lastUpdate', { age: formatAge(update.created_time, now, languageTag()), actor: update.actor })}
        </b>{' '}
        <ChangeCounts change={update} />
      </span>
      <Button size="sm" onClick={() => onShow(update.id)}>
        {t('seeChanges')}
      </Button>
      <Button size="sm" icon={Undo2} saves busy={busy} onClick={() => onUndo(update.id)}>
        {t('undoUpdate')}
      </Button>
      <IconButton label={t('dismiss')} icon={X} size="sm" onClick={() => setClosed(update.id)} />
    </div>
  );
}
