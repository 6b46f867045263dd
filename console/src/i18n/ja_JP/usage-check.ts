import type { Texts } from '../texts.ts';

export const texts: Texts['usageCheck'] = {
  mark_implausible: 'あり得ない使用量',
  mark_unusual: '通常と異なる使用量',
  short_implausible: 'あり得ない値',
  short_unusual: '異常値',
  counter_input: '入力トークン',
  counter_output: '出力トークン',
  counter_seconds: '音声の秒数',
  counter_images: '画像の枚数',
  counter_searches: '検索の回数',
  bound_limit: '報告値は{{what}} {{reported}}、この呼び出しの上限は {{most}} です。{{charged}} 分を課金しました。',
  bound_model_output:
    '報告値は{{what}} {{reported}}、このモデルの最大出力は {{most}} です。{{charged}} 分を課金しました。',
  bound_any_answer:
    '報告値は{{what}} {{reported}}、1 回の応答で {{most}} を超えるモデルは知られていません。{{charged}} 分を課金しました。',
  bound_received: '報告値は{{what}} {{reported}}、受信した内容は最大でも {{most}} です。{{charged}} 分を課金しました。',
  bound_sent:
    '報告値は{{what}} {{reported}}、送信したリクエストは最大でも {{most}} です。{{charged}} 分を課金しました。',
  bound_context_window:
    '報告値は{{what}} {{reported}}、このモデルのコンテキスト長は {{most}} です。{{charged}} 分を課金しました。',
  bound_sound_length:
    '報告値は{{what}} {{reported}}、このファイルは最大でも {{most}} です。{{charged}} 分を課金しました。',
  bound_images_asked:
    '報告値は{{what}} {{reported}}、この呼び出しの要求は最大 {{most}} です。{{charged}} 分を課金しました。',
  bound_seen:
    '報告値は{{what}} {{reported}} で、見える内容（通常は {{most}} まで）を大きく上回ります。報告値どおりに課金しました。',
  atChannel: 'このアップストリームは、あり得ない使用量を報告しました',
  atChannelText: '超過分は課金していません。このアップストリームの計測が正しいか確認してください。',
  when: '{{time}}、{{model}}',
  clear: '警告を閉じる',
  cleared: '警告を閉じました',
  openLog: 'ログを開く',
  clearFailed: '警告を閉じられませんでした',
};
