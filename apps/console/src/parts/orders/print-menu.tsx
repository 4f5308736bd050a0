/** Prints pick lists and packing slips of the chosen orders, or the pick list of a stock. */
import { Button, Kbd, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { OperatorOrder } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useKeys } from '../../keyboard.ts'
import { useWords } from '../../words/words.tsx'
import { openPrint, printedOf } from '../printing.ts'

export function PrintMenu({ orders }: { orders: readonly OperatorOrder[] }) {
  const { t } = useWords()
  const stocks = useQuery({
    queryKey: ['stocks'],
    queryFn: () => api.listAllStocks({ limit: 100 }),
    staleTime: 300_000,
  })
  const { picks, slips } = printedOf(orders)
  useKeys([{ keys: 'p', label: t('print'), run: () => openPrint({ picks, slips }) }])
  return (
    <Menu>
      <Menu.Target>
        <Button
          size="sm"
          variant="default"
          rightSection={
            <Kbd size="xs" aria-hidden>
              p
            </Kbd>
          }
        >
          {t('print')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {slips.length > 0 && (
          <Menu.Item onClick={() => openPrint({ slips })}>{t('slips_selected', { n: slips.length })}</Menu.Item>
        )}
        {picks.length > 0 && (
          <Menu.Item onClick={() => openPrint({ picks })}>{t('pick_selected', { n: picks.length })}</Menu.Item>
        )}
        {stocks.data?.data.map(({ stock_id, stock_name }) => (
          <Menu.Item key={stock_id} onClick={() => openPrint({ stock: stock_id })}>
            {t('pick_list_of', { name: stock_name })}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
