import { RotateCw } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSelf } from '#api/self.ts';
import { useRefusalAdvice } from '#domain/refusal/refusal-advice.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import type { ModelAnswer, CallError, Settings } from '#domain/playground/playground-types.ts';

/** Settings by the names that the dialects give their parameters. */
const settingOf: Record<string, Partial<Settings>> = {
  temperature: { temperature: null },
  top_p: { topP: null },
  topP: { topP: null },
  max_tokens: { maxTokens: null },
  max_completion_tokens: { maxTokens: null },
  max_output_tokens: { maxTokens: null },
  maxOutputTokens: { maxTokens: null },
  presence_penalty: { presencePenalty: null },
  frequency_penalty: { frequencyPenalty: null },
  seed: { seed: null },
  stop: { stop: '' },
  stop_sequences: { stop: '' },
  reasoning_effort: { effort: '' },
  'reasoning.effort': { effort: '' },
  thinking: { effort: '' },
  tools: { tools: '' },
  stream: { stream: false },
};

interface Props {
  answer: ModelAnswer;
  error: CallError;
  onRetry: (change?: Partial<Settings>) => void;
}

/** Why there is no answer, in words, and what to do. */
export function AnswerError({ answer, error, onRetry }: Props) {
  const { t } = useTranslation('playground');
  const { data: self } = useSelf();
  const { status, code, message } = error;
  const advice = useRefusalAdvice({
    user_id: self?.id ?? 0,
    username: self?.username ?? '',
    token_name: '',
    model_name: answer.model,
    metadata: { status, group_name: self?.group ?? '', refusal: { ...noRefusal, reason: code } },
  });
  const param = refusedParameter(error);
  const said = message.replace(/ ?\(request id: [^)]*\)/, '');
  return (
    <Note tone="bad" live>
      <p className="font-title">{titleOf(error, t)}</p>
      {status === 0 ? (
        <p>{t(textsOfBroken[code] ?? 'brokenText')}</p>
      ) : (
        status !== 401 && <p>{status === 429 ? t('busyText') : advice.text}</p>
      )}
      {said !== '' && <p className="mt-1 max-h-40 overflow-y-auto break-words opacity-90">{said}</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        {status !== 0 && status !== 429 && advice.link && (
          <Button size="sm" render={advice.link}>
            {advice.label}
          </Button>
        )}
        {param !== undefined && (
          <Button size="sm" icon={RotateCw} onClick={() => onRetry(settingOf[param])}>
            {t('retryWithout', { name: param })}
          </Button>
        )}
        <Button size="sm" icon={RotateCw} onClick={() => onRetry()}>
          {t('retry')}
        </Button>
      </div>
    </Note>
  );
}

/** For calls without an HTTP status, by code. */
const textsOfBroken: Partial<Record<string, 'connectionText' | 'taskFailedText'>> = {
  connection_lost: 'connectionText',
  task_failed: 'taskFailedText',
};

const noRefusal = {
  reason: '',
  count: 1,
  first_time: 0,
  first_request_id: '',
  token_id: 0,
  needed: 0,
  many_models: false,
};

/** A refused parameter that can be left out: named by the error, or by its message. */
function refusedParameter({ status, param, message }: CallError): string | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if (param !== undefined && Object.hasOwn(settingOf, param)) return param;
  return Object.keys(settingOf).find((name) => new RegExp(`['"\`]${name.replace('.', '\\.')}['"\`]`).test(message));
}

function titleOf({ status, code }: CallError, t: ReturnType<typeof useTranslation<'playground'>>['t']): string {
  if (code === 'connection_lost') return t('connectionTitle');
  if (code === 'task_failed') return t('taskFailedTitle');
  if (status === 0) return t('brokenTitle');
  if (status === 401) return t('signedOutTitle');
  return t('refusedTitle', { status });
}
