import { type DescribedType, voices } from './described-type.ts';

/** Types for a single medium: speech, images, music, video, reranking. */
export const mediaTypes: readonly DescribedType[] = [
  {
    type: 24,
    title: 'Azure Speech',
    address: 'none',
    website: 'https://portal.azure.com',
    testable: false,
    other: { kind: 'region', required: true, example: 'eastasia' },
    owner: 1,
    models: 'tts-1,tts-1-hd',
    plugins: [
      voices({
        alloy: 'zh-CN-YunxiNeural',
        echo: 'zh-CN-YunyangNeural',
        fable: 'zh-CN-YunxiNeural|Boy',
        onyx: 'zh-CN-YunyeNeural',
        nova: 'zh-CN-XiaochenNeural',
        shimmer: 'zh-CN-XiaohanNeural',
      }),
    ],
  },
  {
    type: 34,
    title: 'Midjourney',
    addressExample: 'http://127.0.0.1:8080',
    anyKey: true,
    testable: false,
    mapsModels: false,
    models:
      'mj_imagine,mj_variation,mj_reroll,mj_blend,mj_modal,mj_zoom,mj_shorten,mj_high_variation,mj_low_variation,mj_pan,mj_inpaint,mj_custom_zoom,mj_describe,mj_upscale,mj_swap_face,mj_upload',
  },
  {
    type: 37,
    title: 'Stability AI',
    baseUrl: 'https://api.stability.ai/v2beta',
    website: 'https://platform.stability.ai/account/credits',
    models:
      'stable-image-core,stable-image-ultra,sd3.5-large,sd3.5-large-turbo,sd3.5-medium,stable-image-upscale-creative',
  },
  {
    type: 41,
    title: 'Suno',
    addressExample: 'http://127.0.0.1:3000',
    anyKey: true,
    testable: false,
    mapsModels: false,
    models: 'suno_lyrics,chirp-v3-0,chirp-v3-5',
  },
  {
    type: 47,
    title: 'Jina',
    baseUrl: 'https://api.jina.ai',
    website: 'https://jina.ai',
    testable: false,
    models: 'jina-reranker-v2-base-multilingual',
  },
  {
    type: 51,
    title: 'Recraft',
    baseUrl: 'https://external.api.recraft.ai',
    website: 'https://www.recraft.ai/profile/api',
    models:
      'recraftv3,recraft20b,recraft_vectorize,recraft_removeBackground,recraft_clarityUpscale,recraft_generativeUpscale,recraft_crispUpscale,recraft_creativeUpscale,recraft_imageToImage,recraft_inpaint,recraft_outpaint,recraft_replaceBackground,recraft_generateBackground,recraft_eraseRegion,recraft_styles',
  },
  {
    type: 52,
    title: 'Replicate',
    baseUrl: 'https://api.replicate.com',
    website: 'https://replicate.com/account/billing',
    owner: 0,
    models: 'black-forest-labs/flux-schnell,minimax/video-01',
  },
  {
    type: 53,
    title: 'Kling',
    baseUrl: 'https://api-singapore.klingai.com',
    keyForms: [['AccessKey', 'SecretKey']],
    testable: false,
    models: ['kling-v2-5-turbo', 'kling-v3']
      .flatMap((version) => ['std', 'pro'].flatMap((mode) => [5, 10].map((s) => `kling-video_${version}_${mode}_${s}`)))
      .join(','),
  },
  {
    type: 103,
    title: 'Vidu',
    testable: false,
    models: 'viduq3-pro,viduq3-turbo,viduq2,viduq1',
  },
  {
    type: 105,
    title: 'Volcengine Ark',
    models: 'doubao-seed-1-6-251015,doubao-seed-1-6-flash-250828,doubao-seedream-4-0-250828,doubao-seedance-2-0-260128',
  },
  {
    type: 106,
    title: 'Jimeng',
    testable: false,
    models: 'jimeng_t2v_v30,jimeng_t2v_v30_1080p,jimeng_i2v_first_v30,jimeng_i2v_first_v30_1080,jimeng_ti2v_v30_pro',
  },
  { type: 101, title: 'Runway', testable: false, models: 'gen4.5,gen4_turbo' },
  { type: 102, title: 'Luma', testable: false, models: 'ray-3.2' },
  { type: 104, title: 'fal', testable: false, owner: 0, models: 'fal-ai/minimax/video-01' },
];
