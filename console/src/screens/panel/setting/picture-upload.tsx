import { MOST_PICTURE_BYTES, optionApi } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Upload } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';

/** Uploads an image and passes its address on; the setting is changed by saving it. */
export function PictureUpload({ name, onUploaded }: { name: string; onUploaded: (address: string) => void }) {
  const { t } = useTranslation('setting');
  const input = useRef<HTMLInputElement>(null);
  const upload = useMutation({
    mutationFn: async (file: File) => {
      if (file.size > MOST_PICTURE_BYTES) throw new Error(t('uploadTooLarge'));
      return call(optionApi.addPicture, { body: { data: await dataAddress(file) } });
    },
    meta: { quiet: true },
    onSuccess: ({ address }) => onUploaded(address),
    onError: (error) => toast.error(error.message),
  });
  return (
    <>
      <IconButton
        label={t('uploadFor', { name })}
        icon={Upload}
        busy={upload.isPending}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        className="hidden"
        tabIndex={-1}
        aria-label={t('upload')}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // The same file can be chosen again.
          target.value = '';
          if (file) upload.mutate(file);
        }}
      />
    </>
  );
}

/** The file as a `data:` address; the server decides the type by the bytes. */
function dataAddress(file: File): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const reader = new FileReader();
  reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
  reader.addEventListener('error', () => reject(reader.error ?? new Error(file.name)));
  reader.readAsDataURL(file);
  return promise;
}
