import { statusPageApi, type PublishableIncident } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { FormTextarea } from '#ui/form/form-text.tsx';
import { Time } from '#ui/format/time.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';

const incidentsQuery = { ...apiQuery(statusPageApi.incidents), meta: { quiet: true } };
const MOST_SHOWN = 10;

/** For administrators: publishes incidents with a text for readers. */
export function PublishCard() {
  const { t } = useTranslation('status');
  const incidents = useQuery(incidentsQuery).data ?? [];
  const [edited, setEdited] = useState<PublishableIncident>();
  if (incidents.length === 0) return null;
  return (
    <Card>
      <CardHead title={t('publishTitle')} aside={<span className="text-13 text-text3">{t('publishText')}</span>} />
      <ul className="divide-y divide-line border-t border-line">
        {incidents.slice(0, MOST_SHOWN).map((incident) => (
          <li key={incident.id} className="flex flex-wrap items-center gap-x-4 gap-y-1.5 px-4 py-2">
            <span className="min-w-0 flex-1 basis-60 break-words">{incident.title}</span>
            <span className="text-12 text-text3">
              <Time at={incident.began_at} as="relative" />
            </span>
            <Button size="sm" onClick={() => setEdited(incident)}>
              {t(incident.words === null ? 'publish' : 'editWords')}
            </Button>
          </li>
        ))}
      </ul>
      {edited && <WordsDialog incident={edited} onClose={() => setEdited(undefined)} />}
    </Card>
  );
}

function WordsDialog({ incident, onClose }: { incident: PublishableIncident; onClose: () => void }) {
  const { t } = useTranslation(['status', 'shared']);
  const client = useQueryClient();
  const { control, handleSubmit } = useForm({ defaultValues: { words: incident.words ?? '' } });
  const save = useMutation({
    mutationFn: (words: string | null) => call(statusPageApi.publish, { params: { id: incident.id }, body: { words } }),
    onSuccess: ({ words }) => toast.success(t(words === null ? 'hidden' : 'published')),
    onSettled: () => refresh(client, statusPageApi.incidents, statusPageApi.get),
  });
  const put = async (words: string | null, close: () => void) => {
    try {
      await save.mutateAsync(words);
      close();
    } catch {
      // The request shows its own error; the dialog stays open.
    }
  };
  return (
    <Dialog
      title={t('wordsTitle')}
      text={incident.title}
      onClose={onClose}
      footer={(close) => (
        <>
          {incident.words !== null && (
            <Button variant="ghost" saves className="mr-auto" onClick={() => void put(null, close)}>
              {t('hide')}
            </Button>
          )}
          <Button onClick={close}>{t('shared:cancel')}</Button>
          <Button
            variant="primary"
            busy={save.isPending}
            onClick={() => void handleSubmit(({ words }) => put(words, close))()}
          >
            {t('publish')}
          </Button>
        </>
      )}
    >
      <FormTextarea
        control={control}
        name="words"
        label={t('words')}
        hint={t('wordsHint')}
        rows={4}
        maxLength={2000}
        autoFocus
      />
    </Dialog>
  );
}
