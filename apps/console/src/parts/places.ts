/** The price lists and the stocks, at once: of two lists, the one that arrives later would move what is chosen. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'

export const usePlaces = () =>
  useQuery({
    queryKey: ['places'],
    queryFn: async () => {
      const [lists, stocks] = await Promise.all([api.listPriceLists(), api.listAllStocks()])
      return { lists: lists.data, stocks: stocks.data }
    },
  })
