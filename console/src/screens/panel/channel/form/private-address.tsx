import { optionApi, type ChannelType } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useRef, useState } from 'react';
import { useWatch, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import type { ApiError } from '#api/api-error.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { toast } from '#ui/feedback/toast.ts';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

type Form = UseFormReturn<ChannelValues, unknown, ChannelBody>;
type Field = 'base_url' | 'proxy';

export interface PrivateAddress {
  /** Registers the step that is starting, to repeat it once its address is allowed. */
  starts: (step: () => void) => void;
  onRefused: (error: ApiError) => void;
  /** The refused address; undefined without a refusal, or after the address was edited. */
  refused: { field: Field; address: string } | undefined;
  allow: () => void;
  isAllowing: boolean;
}

const isField = (name: string | undefined): name is Field => name === 'base_url' || name === 'proxy';

/** Watches the form's connection steps for addresses refused as private. */
export function usePrivateAddress(form: Form, type: ChannelType | undefined): PrivateAddress {
  const { t } = useTranslation('channelForm');
  const again = useRef<() => void>(() => {});
  const [refused, setRefused] = useState<{ field: Field; typed: string; address: string }>();
  const [baseUrl, proxy] = useWatch({ control: form.control, name: ['base_url', 'proxy'] });
  const now = { base_url: baseUrl, proxy };
  const { mutate, isPending } = useMutation({
    mutationFn: (address: string) => call(optionApi.allowAddress, { body: { address } }),
    onSuccess: ({ networks }) => {
      if (refused) form.clearErrors(refused.field);
      setRefused(undefined);
      if (networks.length > 0) toast.success(t('private.allowed', { networks: networks.join(', ') }));
      again.current();
    },
  });
  return {
    starts: (step) => {
      again.current = step;
      setRefused(undefined);
    },
    onRefused: ({ code, field }) => {
      if (code !== 'outbound.private' || !isField(field)) return;
      const typed = form.getValues(field);
      setRefused({ field, typed, address: typed || (type?.base_url ?? '') });
    },
    refused: refused && now[refused.field] === refused.typed ? refused : undefined,
    // Without a proxy's user and password.
    allow: () => refused && mutate(refused.address.replace(/\/\/[^/]*@/, '//')),
    isAllowing: isPending,
  };
}

/** Explains that an address is private; super administrators can allow it. */
export function PrivateNote({ at: { refused, allow, isAllowing } }: { at: PrivateAddress }) {
  const { t } = useTranslation('channelForm');
  const { isRoot } = useSession();
  if (!refused) return null;
  return (
    <Note tone="warn" live>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2.5">
        <span className="min-w-60 flex-1">
          <b className="font-title">{t('private.title')}</b> {t(isRoot ? 'private.allowText' : 'private.askText')}
        </span>
        {isRoot && (
          <Button icon={ShieldCheck} saves busy={isAllowing} onClick={allow} className="max-sm:w-full">
            {t('private.allow')}
          </Button>
        )}
      </div>
    </Note>
  );
}
