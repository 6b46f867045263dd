import type { Channel, ChannelTest } from '@relay-hub/contract';
import { useMutation, type QueryClient } from '@tanstack/react-query';
import type { UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import type { ApiError } from '#api/api-error.ts';
import { savedOrRefused } from '#domain/save/form-error.ts';
import { Note } from '#ui/feedback/note.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import type { ChannelBody, ChannelValues } from '#screens/panel/channel/form/channel-values.ts';
import { testChannel } from './channel-test.ts';
import { quoted } from './channel-test-state.ts';

type Tested = ChannelTest & { at: number };

export interface FormTest {
  run: (channel: Channel) => void;
  isPending: boolean;
  /** The test model, or the channel's name as long as the server has not chosen one. */
  model: string | undefined;
  result: Tested | undefined;
  error: Error | null;
}

/** Tests a form's channel as last saved; the form shows the result. */
export function useFormTest(
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>,
  client: QueryClient,
  onRefused: (error: ApiError) => void,
): FormTest {
  const { mutate, isPending, data, error, variables } = useMutation({
    mutationFn: (channel: Channel) =>
      savedOrRefused(
        form,
        async (): Promise<Tested> => {
          const tested = await testChannel(client, channel);
          return { ...tested, at: Math.floor(Date.now() / 1000) };
        },
        onRefused,
      ),
    meta: { quiet: true },
  });
  return { run: mutate, isPending, model: variables && (variables.test_model || variables.name), result: data, error };
}

/** Above the footer: latency and reply, or the error. */
export function ChannelTestNote({ test: { isPending, model = '', result, error } }: { test: FormTest }) {
  const { t } = useTranslation('channel');
  if (isPending) return <Note live>{t('test.running', { model })}</Note>;
  if (error)
    return (
      <Note tone="bad" live>
        <b className="font-title">{t('test.refused', { model })}</b> {error.message}
      </Note>
    );
  if (!result) return null;
  const reply = quoted(result.answer);
  return (
    <Note tone="ok" live>
      <b className="font-title">{t('test.ok', { model: result.model, ms: formatWhole(result.ms) })}</b>
      {reply && ` · ${reply}`} · <Time at={result.at} as="relative" />
    </Note>
  );
}
